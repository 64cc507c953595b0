// A child process of idle-cost: runs the bare loop and reports its CPU time.
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { inputOf, report } from '@leadership/tools/processes';
import type { IdleInput, IdleMessage, Traced } from '../cost/idle.ts';
import { replay } from '../cost/replay.ts';
import { cpuMsPerSecond, ownCpuMs } from '../measure/cpu.ts';

const input = inputOf<IdleInput & { readonly traceFile: string }>();
process.on('disconnect', () => process.exit());
const text = await readFile(input.traceFile, 'utf8');
const { calls, watched } = JSON.parse(
  text.replaceAll('"<home>/', `"${input.directory}/`),
) as Traced;
for (const directory of new Set(watched)) watch(directory, () => undefined);
process.once('message', () => void measure());
await report<IdleMessage>({ kind: 'prepared' });

async function measure(): Promise<void> {
  const replayed = replay(calls, performance.now());
  await pause(input.warmMs);
  const cpu = await cpuMsPerSecond(ownCpuMs, input.windowMs);
  await report<IdleMessage>({ kind: 'measured', cpuMsPerSecond: cpu, failed: await replayed });
}
