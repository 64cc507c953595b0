// A child process of idle-cost: runs an idle member and reports its CPU time.

import { inputOf, report } from '@leadership/tools/processes';
import type { IdleInput, IdleTold } from '../file/idle.ts';
import { idleSource } from '../file/idle-source.ts';
import { cpuMsPerSecond } from '../process/cpu.ts';

const input = inputOf<IdleInput>();
process.on('disconnect', () => process.exit());
await idleSource(input);
process.once('message', () => void measure());
await report<IdleTold>({ kind: 'prepared' });

async function measure(): Promise<void> {
  await report<IdleTold>({
    kind: 'measured',
    cpuMsPerSecond: await cpuMsPerSecond(input.warmMs, input.windowMs),
    failed: 0,
  });
}
