// The member process of the crash-proved benchmarks, as its parent sees it.
import { guardVariable } from '@leadership/core/internal/guard';
import { type Child, startChild } from '@leadership/tools/processes';
import type { ElectionMessage } from '../process/member-messages.ts';
import { crash } from '../process/successions.ts';

/** The input of a member process. */
export interface MemberInput {
  readonly url: string;
  readonly member: string;
}

/** How a process dies: by SIGKILL, by an uncaught exception, or by `process.exit()`. */
export type Death = 'kill' | 'throw' | 'exit';

/** A process that runs one member. */
export type Member = Child<ElectionMessage>;

/** Starts a member process. `guard`: the socket of its guard. */
export function startMember(input: MemberInput, guard?: string): Member {
  return startChild<ElectionMessage>(new URL('../programs/guarded-member.js', import.meta.url), {
    input,
    env: guard === undefined ? {} : { [guardVariable]: guard },
    // Node prints the stack of the exception by which a process dies.
    stderr: 'ignore',
  });
}

/** Lets a member die. Resolves with the instant just before. */
export function die(member: Member, death: Death): Promise<bigint> {
  if (death === 'kill') return crash(member);
  const orderedNs = process.hrtime.bigint();
  member.send({ kind: death });
  return Promise.resolve(orderedNs);
}
