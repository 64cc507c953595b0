import { msBetween } from '../measure/ms-between.ts';
import { type Attended, joined, type MemberMessage } from '../process/attended.ts';
import type { GoneliGroup, GoneliMeasure } from './beside.ts';
import type { GoneliMember } from './member.ts';
import { settled } from './settling.ts';

/** The number of members before another one joins. */
const members = 4;

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
  const there: Attended<GoneliMember>[] = [];
  let messages: MemberMessage[] = [];
  const come = async (): Promise<Attended<GoneliMember>> => {
    const comer = await joined(start);
    comer.member.listen((message) => messages.push(message));
    there.push(comer);
    await settled(sessionMs);
    return comer;
  };
  try {
    while (there.length < members) await come();
    for (;;) {
      messages = [];
      const { member } = await come();
      yield goneliLeaderlessMs(messages);
      member.send({ kind: 'close' });
      await settled(sessionMs);
      await member.kill();
      there.pop();
    }
  } finally {
    await Promise.all(there.map(({ member }) => member.kill()));
  }
}

/**
 * Returns the total time without a leader, from each revocation or fence until the next member
 * leads. Milliseconds.
 */
export function goneliLeaderlessMs(messages: readonly MemberMessage[]): number {
  let [sinceNs, ms] = ['', 0];
  const inOrder = messages
    .filter(({ atNs }) => atNs !== undefined)
    .sort((a, b) => Number(BigInt(a.atNs ?? 0) - BigInt(b.atNs ?? 0)));
  for (const { kind, atNs = '' } of inOrder) {
    if (kind === 'revoked' || kind === 'fenced') sinceNs = atNs;
    if (kind !== 'leading' || sinceNs === '') continue;
    ms += msBetween(sinceNs, atNs);
    sinceNs = '';
  }
  return ms;
}
