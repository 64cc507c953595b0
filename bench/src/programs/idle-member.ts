// A child process of idle-cost: runs an idle member and reports its CPU time.
import type { IdleInput, IdleTold } from '../file/idle.ts';
import { idleSource } from '../file/idle-source.ts';
import { cpuMsPerSecond } from '../process/cpu.ts';
import { inputOf, say } from '../process/parent.ts';

const input = inputOf<IdleInput>();
process.on('disconnect', () => process.exit());
await idleSource(input);
process.once('message', () => void measure());
await say<IdleTold>({ kind: 'prepared' });

async function measure(): Promise<void> {
  await say<IdleTold>({
    kind: 'measured',
    cpuMsPerSecond: await cpuMsPerSecond(input.warmMs, input.windowMs),
    failed: 0,
  });
}
