// A child of idle-cost: an idle member whose calls are written down. It leaves a copy of its directory as it was before the
// first of them, and the calls, for the loops to start from.
import { cpSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { IdleInput, IdleTold } from '../file/idle.ts';
import { idleSource } from '../file/idle-source.ts';
import { traceFiles } from '../file/trace.ts';
import { inputOf, say } from '../process/parent.ts';

const input = inputOf<IdleInput & { readonly copy: string; readonly traceFile: string }>();
const trace = traceFiles();
await idleSource(input);
// Until versions are as many as are kept, and joining is over.
await pause(5 * input.thresholdMs);
trace.begin();
cpSync(input.directory, input.copy, { recursive: true });
await pause(input.warmMs + input.windowMs);
const traced = JSON.stringify({ calls: trace.calls, watched: trace.watched });
await writeFile(input.traceFile, traced.replaceAll(`"${input.directory}/`, '"<home>/'));
await say<IdleTold>({ kind: 'traced' });
process.exit();
