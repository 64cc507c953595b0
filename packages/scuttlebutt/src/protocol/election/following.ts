// Finds the leaders that the application sees, from the declarations of the members. A declaration
// proves nothing to a voter.

import { type ElectionContext, type Peer, selfOf } from './context.ts';
import { isSameLife } from './declaration.ts';
import { greatest } from './rules.ts';
import type { KnownLeader } from './state.ts';

/** Finds the leader of every partition among the living members. */
export function findLeaders(context: ElectionContext): void {
  const { state, roster, outputs } = context;
  const found: (KnownLeader | undefined)[] = state.leaders.map(() => undefined);
  for (const peer of roster.candidates()) if (peer.isAlive) note(found, peer);
  note(found, selfOf(context));
  const isChanged = found.map((leader, partition) => !isSame(leader, state.leaders[partition]));
  if (!isChanged.includes(true)) return;
  state.leaders = found;
  state.greatestToken = greatest(
    state.greatestToken,
    ...found.map((leader) => leader?.token ?? 0n),
  );
  isChanged.forEach((is, partition) => {
    if (is) outputs.push({ kind: 'leader', partition });
  });
}

function note(found: (KnownLeader | undefined)[], peer: Peer): void {
  const candidacy = peer.declaration?.candidacy;
  candidacy?.leads.forEach((token, partition) => {
    const known = found[partition];
    if (token === undefined || partition >= found.length) return;
    if (known !== undefined && known.token >= token) return;
    const { member, generation } = peer;
    const isLeaving = candidacy.leaving[partition] === true;
    found[partition] = { member, generation, token, isLeaving };
  });
}

function isSame(a: KnownLeader | undefined, b: KnownLeader | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.token === b.token && a.isLeaving === b.isLeaving && isSameLife(a, b);
}
