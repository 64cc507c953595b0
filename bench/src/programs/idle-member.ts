// A child process of idle-cost: runs an idle member and reports its CPU time.
import { setTimeout as pause } from 'node:timers/promises';
import { inputOf, report } from '@leadership/tools/processes';
import type { IdleInput, IdleMessage } from '../cost/idle.ts';
import { idleSource } from '../cost/idle-source.ts';
import { cpuMsPerSecond, ownCpuMs } from '../measure/cpu.ts';

const input = inputOf<IdleInput>();
process.on('disconnect', () => process.exit());
await idleSource(input);
process.once('message', () => void measure());
await report<IdleMessage>({ kind: 'prepared' });

async function measure(): Promise<void> {
  await pause(input.warmMs);
  const cpu = await cpuMsPerSecond(ownCpuMs, input.windowMs);
  await report<IdleMessage>({ kind: 'measured', cpuMsPerSecond: cpu, failed: 0 });
}
