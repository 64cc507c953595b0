// A child process of idle-cost: runs an idle member and records its calls of the file system. It
// saves the calls and a copy of the directory from before the first call, for the processes that
// replay them.
import { cpSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { inputOf, report } from '@leadership/tools/processes';
import type { IdleInput, IdleMessage } from '../cost/idle.ts';
import { idleSource } from '../cost/idle-source.ts';
import { traceFiles } from '../cost/trace.ts';

const input = inputOf<IdleInput & { readonly copy: string; readonly traceFile: string }>();
const trace = traceFiles();
await idleSource(input);
// Wait until the member has joined and has as many record versions as it keeps.
await pause(5 * input.thresholdMs);
trace.begin();
cpSync(input.directory, input.copy, { recursive: true });
await pause(input.warmMs + input.windowMs);
const traced = JSON.stringify({ calls: trace.calls, watched: trace.watched });
await writeFile(input.traceFile, traced.replaceAll(`"${input.directory}/`, '"<home>/'));
await report<IdleMessage>({ kind: 'traced' });
process.exit();
