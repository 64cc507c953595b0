// The program of a member process: `node program.js OPTIONS`, where OPTIONS are
// ProcessMemberOptions as JSON. It reads commands from standard input and writes events to standard
// output, one line of JSON each. It exits when standard input ends, so that no member outlives its
// test.
import { createInterface } from 'node:readline';
import type { Command } from './command.ts';
import { journal } from './journal.ts';
import type { ProcessMemberOptions } from './process-member.ts';
import { runMember } from './run-member.ts';

const given = JSON.parse(process.argv[2] ?? '') as ProcessMemberOptions;
const member = given.options.member ?? `process-${process.pid}`;
const write = journal(member);

/**
 * The time after close in milliseconds after which a running process logs the resources that keep
 * it alive.
 */
const lingerMs = 2_000;

const input = createInterface({ input: process.stdin });
const outlived = (): never => process.exit(1);
input.on('close', outlived);

const running = await runMember({ ...given, options: { ...given.options, member } }, write);
input.on('line', (line) => running?.execute(JSON.parse(line) as Command));
process.on('SIGTERM', () => running?.execute({ kind: 'close' }));
await running?.ended;

input.off('close', outlived);
input.close();
process.stdin.destroy();
setTimeout(
  () => write({ kind: 'closed', detail: `kept by ${process.getActiveResourcesInfo().join(', ')}` }),
  lingerMs,
).unref();
