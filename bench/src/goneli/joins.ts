import { msBetween } from '../measure/ms-between.ts';
import {
  instantNs,
  type MemberMessage,
  startTracked,
  type TrackedMember,
} from '../process/tracked-member.ts';
import type { GoneliGroup, GoneliMeasure } from './measure-beside.ts';
import type { GoneliMember } from './member.ts';
import { settled } from './pause-after-join.ts';

/** The number of members before another one joins. */
const members = 4;
/** The messages that end a term. */
const endsTerm: ReadonlySet<string> = new Set(['revoked', 'fenced']);

/**
 * Measures how long the group has no leader because a fifth member joins. The fifth member leaves
 * again after each value.
 */
export const goneliJoins: GoneliMeasure = {
  what: 'leaderless because a member joins',
  unit: 'ms',
  values: joins,
};

async function* joins({ sessionMs, start }: GoneliGroup): AsyncGenerator<number, void> {
  const present: TrackedMember<GoneliMember>[] = [];
  let messages: MemberMessage[] = [];
  const join = async (): Promise<TrackedMember<GoneliMember>> => {
    const joining = await startTracked(start);
    joining.member.listen((message) => messages.push(message));
    present.push(joining);
    await settled(sessionMs);
    return joining;
  };
  try {
    while (present.length < members) await join();
    for (;;) {
      messages = [];
      const { member } = await join();
      yield goneliLeaderlessMs(messages);
      member.send({ kind: 'close' });
      await settled(sessionMs);
      await member.kill();
      present.pop();
    }
  } finally {
    await Promise.all(present.map(({ member }) => member.kill()));
  }
}

/**
 * Returns the total time without a leader, from each revocation or fence until the next member
 * leads. Milliseconds.
 */
export function goneliLeaderlessMs(messages: readonly MemberMessage[]): number {
  let ms = 0;
  let sinceNs: bigint | undefined;
  const inOrder = messages
    .filter(({ kind }) => kind === 'leading' || endsTerm.has(kind))
    .map((message) => ({ kind: message.kind, atNs: instantNs(message) }))
    .sort((a, b) => Number(a.atNs - b.atNs));
  for (const { kind, atNs } of inOrder) {
    if (kind !== 'leading') sinceNs = atNs;
    else if (sinceNs !== undefined) {
      ms += msBetween(sinceNs, atNs);
      sinceNs = undefined;
    }
  }
  return ms;
}
