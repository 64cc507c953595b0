// A child process of idle-cost: runs an idle member and reports its CPU time.

import { inputOf, report } from '@leadership/tools/processes';
import type { IdleInput, IdleMessage } from '../file/idle.ts';
import { idleSource } from '../file/idle-source.ts';
import { cpuMsPerSecond } from '../process/cpu.ts';

const input = inputOf<IdleInput>();
process.on('disconnect', () => process.exit());
await idleSource(input);
process.once('message', () => void measure());
await report<IdleMessage>({ kind: 'prepared' });

async function measure(): Promise<void> {
  await report<IdleMessage>({
    kind: 'measured',
    cpuMsPerSecond: await cpuMsPerSecond(input.warmMs, input.windowMs),
    failed: 0,
  });
}
