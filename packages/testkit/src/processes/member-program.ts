// The program of a member process: `node program.js OPTIONS`, where OPTIONS are
// ProcessMemberOptions as JSON. It reads commands from standard input and writes events to standard
// output, one line of JSON each. It exits when standard input ends, so that no member outlives its
// test.
import { createInterface } from 'node:readline';
import type { Command } from './command.ts';
import { type Journal, journal } from './journal.ts';
import type { ProcessMemberOptions } from './process-member.ts';
import { type OpenMember, runMember } from './run-member.ts';

const { beside = [], ...given } = JSON.parse(process.argv[2] ?? '') as ProcessMemberOptions;
const member = given.options.member ?? `process-${process.pid}`;
const write = journal(member);
const run = (name: string, log: Journal): Promise<OpenMember | undefined> =>
  runMember({ ...given, options: { ...given.options, member: name } }, log);

/**
 * The time after close in milliseconds after which a running process logs the resources that keep
 * it alive.
 */
const lingerMs = 2_000;

const input = createInterface({ input: process.stdin });
const outlived = (): never => process.exit(1);
input.on('close', outlived);

const running = await run(member, write);
input.on('line', (line) => running?.execute(JSON.parse(line) as Command));
process.on('SIGTERM', () => running?.execute({ kind: 'close' }));
for (const name of beside) await run(name, journal(name));
await running?.ended;

input.off('close', outlived);
input.close();
process.stdin.destroy();
setTimeout(
  () => write({ kind: 'closed', detail: `kept by ${process.getActiveResourcesInfo().join(', ')}` }),
  lingerMs,
).unref();
