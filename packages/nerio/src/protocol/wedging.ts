// The end of an epoch, as its voters see it (N13). A wedged voter grants no lease in the epoch ever again; what it has bound itself
// to is on disk before anyone hears of it. Which epoch follows is decided once, by a quorum of wedged voters, the way single-decree
// consensus decides: two attempts at once cannot end in two epochs.

import { isOutranked } from './ballot.ts';
import type { AcceptedReply, AcceptRequest, Probe, Sender, WedgeRequest } from './message.ts';
import type { Self } from './state.ts';
import { broadcast, isMuted, reply, type Turn } from './turn.ts';
import { isBindable, persist } from './vows.ts';

/** Someone wants to know whether the epoch can end, before anyone is bound. Says nothing where this voter cannot be, or cannot be yet. */
export function hearProbe(turn: Turn, from: Sender, { ballot }: Probe): void {
  const { state } = turn;
  if (!isBindable(state)) return;
  const { wedge } = state;
  if (wedge && isOutranked(ballot, wedge.promised)) return reply(turn, from, { kind: 'outranked', by: wedge.promised });
  if (wedge !== undefined || !isMuted(turn)) reply(turn, from, { kind: 'bindable', ballot });
}

/** Someone wants the epoch to end. No wedge while a lease is out: until then it waits, and no one new is granted to. */
export function hearWedge(turn: Turn, from: Sender, { ballot, next }: WedgeRequest): void {
  const { state } = turn;
  if (!isBindable(state)) return;
  const { wedge, wedgeAsked } = state;
  if (wedge && isOutranked(ballot, wedge.promised)) return reply(turn, from, { kind: 'outranked', by: wedge.promised });
  if (wedgeAsked && isOutranked(ballot, wedgeAsked.ballot)) return;
  state.wedgeAsked = { from: from.member, ballot, next };
}

/** Wedges, once no lease is out; says when to look again. */
export function wedgeWhenFree(turn: Turn): number {
  const { rules, state } = turn;
  const { wedgeAsked, wedge } = state;
  if (wedgeAsked === undefined) return Number.POSITIVE_INFINITY;
  const freeAt = leasedUntil(turn);
  if (wedge === undefined && !rules.mayWedge(turn.now < freeAt || isMuted(turn)))
    return laterThan(turn.now, Math.max(freeAt, state.mutedUntil));
  const { ballot, next, from } = wedgeAsked;
  const tokens = wedge?.tokens ?? state.grants.map(({ token }) => token);
  state.wedge = { promised: ballot, accepted: wedge?.accepted, proposed: next, tokens };
  state.wedgeAsked = undefined;
  state.takeOverAt = turn.now + takeOverMs(turn);
  persist(turn);
  reply(turn, { member: from }, { kind: 'wedged', ballot, tokens, accepted: state.wedge.accepted });
  return Number.POSITIVE_INFINITY;
}

/** After so long a wedged voter sees to the end of the epoch itself: one after the other. Milliseconds. */
export function takeOverMsOf({ leaseMsMax, jitter }: Self, index: number): number {
  return leaseMsMax * (2 + Math.max(0, index) + jitter);
}

/** The same for the member whose turn it is. */
export function takeOverMs({ state }: Turn): number {
  return takeOverMsOf(state.self, state.index);
}

function laterThan(now: number, at: number): number {
  return at > now ? at : Number.POSITIVE_INFINITY;
}

function leasedUntil({ state, now }: Turn): number {
  return state.grants.reduce((latest, { holder, until }) => (holder !== undefined && now < until ? Math.max(latest, until) : latest), now);
}

/** Members of the epoch to follow that are not of this one have to know too. */
function tellAccepted(turn: Turn, item: AcceptedReply): void {
  const { electorate, self } = turn.state;
  broadcast(turn, item);
  const to = item.next.members.map(({ member }) => member).filter((name) => name !== self.member && !electorate.names.includes(name));
  if (to.length > 0) turn.outputs.push({ kind: 'tell', epoch: electorate.number, to, item });
}

/** Someone wants that epoch to follow. Only a wedged voter accepts, and none that heeds a greater ballot. */
export function hearAccept(turn: Turn, from: Sender, { ballot, next }: AcceptRequest): void {
  const { state, now } = turn;
  const { wedge } = state;
  if (!isBindable(state) || wedge === undefined) return;
  if (isOutranked(ballot, wedge.promised)) return reply(turn, from, { kind: 'outranked', by: wedge.promised });
  state.wedge = { promised: ballot, accepted: { ballot, next }, proposed: wedge.proposed, tokens: wedge.tokens };
  state.takeOverAt = now + takeOverMs(turn);
  persist(turn);
  tellAccepted(turn, { kind: 'accepted', ballot, next });
}
