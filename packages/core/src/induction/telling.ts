import type { KnownLeader } from '../contract/backend.ts';
import { after, type Instant, never } from '../time/instant.ts';
import { isBelieving, type Turn } from './turn.ts';

/** Tells who leads, where that changed; says when that will be true no more by itself. */
export function tellLeader(turn: Turn): Instant {
  const { state, outputs, now } = turn;
  const { leader: heard, self } = state;
  const lapseAt = !heard?.leads ? never : after(heard.heardAt, heard.thresholdMs * (1 + self.driftRate));
  const other = heard?.leads && now < lapseAt ? heard.leader : undefined;
  const leader = leaderOf(turn, other);
  if (!isSameReign(leader, state.told)) outputs.push({ kind: 'leader', leader });
  state.told = leader;
  return other === undefined ? never : lapseAt;
}

/** Of two that lead at once, the one whose reign is not ending. */
function leaderOf({ state }: Turn, other: KnownLeader | undefined): KnownLeader | undefined {
  const { tenure, self } = state;
  if (!isBelieving(tenure) || (tenure.kind !== 'leading' && other !== undefined)) return other;
  const { member, incarnation, metadata = {} } = self;
  return { member, incarnation, token: tenure.token, metadata };
}

function isSameReign(a: KnownLeader | undefined, b: KnownLeader | undefined): boolean {
  return a?.token === b?.token && a?.incarnation === b?.incarnation;
}
