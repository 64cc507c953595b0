// The program of a member process: `node program.js OPTIONS`, where OPTIONS are ProcessMemberOptions as JSON. Commands come as lines of
// JSON on standard input, events go as lines of JSON to standard output. The end of its input is its end: no member outlives its test.
import { createInterface } from 'node:readline';
import type { ProcessMemberOptions } from '../faults/process-member.ts';
import type { Command } from './command.ts';
import { journal } from './journal.ts';
import { live } from './live.ts';

const given = JSON.parse(process.argv[2] ?? '') as ProcessMemberOptions;
const member = given.options.member ?? `process-${process.pid}`;
const write = journal(member);

/** How long a closed member may take to end by itself before it says what keeps it. Milliseconds. */
const lingerMs = 2_000;

const input = createInterface({ input: process.stdin });
const outlived = (): never => process.exit(1);
input.on('close', outlived);

const life = await live({ ...given, options: { ...given.options, member } }, write);
input.on('line', (line) => life?.obey(JSON.parse(line) as Command));
process.on('SIGTERM', () => life?.obey({ kind: 'close' }));
await life?.ended;

input.off('close', outlived);
input.close();
process.stdin.destroy();
setTimeout(() => write({ kind: 'closed', detail: `kept by ${process.getActiveResourcesInfo().join(', ')}` }), lingerMs).unref();
