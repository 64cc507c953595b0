// The voters' side of the end of an epoch (N13). A wedged voter never grants a lease in the epoch
// again. Its commitment is on disk before another member learns of it. A quorum of wedged voters
// decides the next epoch once, by single-decree consensus, so two concurrent attempts cannot end in
// two epochs.

import { isOutranked } from './ballot.ts';
import { isBindable, persist } from './hard-state.ts';
import type { AcceptedReply, AcceptRequest, Probe, Sender, WedgeRequest } from './message.ts';
import { isMuted } from './newcomer.ts';
import type { Self } from './state.ts';
import { broadcast, reply, type StepContext } from './step-context.ts';

/**
 * Answers whether this voter can be wedged, before any voter is. Does not answer if it cannot be,
 * or not yet.
 */
export function receiveProbe(context: StepContext, from: Sender, { ballot }: Probe): void {
  const { state } = context;
  if (!isBindable(state)) return;
  const { wedge } = state;
  if (wedge && isOutranked(ballot, wedge.promised))
    return reply(context, from, { kind: 'outranked', by: wedge.promised });
  if (wedge !== undefined || !isMuted(context)) reply(context, from, { kind: 'bindable', ballot });
}

/**
 * Receives a wedge request. Keeps it until no lease is granted; until then only the holder may
 * renew.
 */
export function receiveWedge(
  context: StepContext,
  from: Sender,
  { ballot, next }: WedgeRequest,
): void {
  const { state } = context;
  if (!isBindable(state)) return;
  const { wedge, pendingWedge } = state;
  if (wedge && isOutranked(ballot, wedge.promised))
    return reply(context, from, { kind: 'outranked', by: wedge.promised });
  if (pendingWedge && isOutranked(ballot, pendingWedge.ballot)) return;
  state.pendingWedge = { from: from.member, ballot, next };
}

/** Wedges this voter once no lease is granted. Returns when to call it again. */
export function wedgeWhenFree(context: StepContext): number {
  const { rules, state } = context;
  const { pendingWedge, wedge } = state;
  if (pendingWedge === undefined) return Number.POSITIVE_INFINITY;
  const freeAt = leasedUntil(context);
  if (wedge === undefined && !rules.mayWedge(context.now < freeAt || isMuted(context)))
    return laterThan(context.now, Math.max(freeAt, state.mutedUntil));
  const { ballot, next, from } = pendingWedge;
  const tokens = wedge?.tokens ?? state.grants.map(({ token }) => token);
  state.wedge = { promised: ballot, accepted: wedge?.accepted, proposed: next, tokens };
  state.pendingWedge = undefined;
  state.takeOverAt = context.now + takeOverMs(context);
  persist(context);
  reply(
    context,
    { member: from },
    { kind: 'wedged', ballot, tokens, accepted: state.wedge.accepted },
  );
  return Number.POSITIVE_INFINITY;
}

/**
 * The delay after which a wedged voter continues the attempt itself. It differs by member, so that
 * they try one after the other. Milliseconds.
 */
export function takeOverMsOf({ leaseMsMax, jitter }: Self, index: number): number {
  return leaseMsMax * (2 + Math.max(0, index) + jitter);
}

/** The same delay for this member. */
export function takeOverMs({ state }: StepContext): number {
  return takeOverMsOf(state.self, state.index);
}

function laterThan(now: number, at: number): number {
  return at > now ? at : Number.POSITIVE_INFINITY;
}

function leasedUntil({ state, now }: StepContext): number {
  return state.grants.reduce(
    (latest, { holder, until }) =>
      holder !== undefined && now < until ? Math.max(latest, until) : latest,
    now,
  );
}

/** Informs all members of the epoch, and those of the next epoch that are not in this one. */
function sendAccepted(context: StepContext, item: AcceptedReply): void {
  const { electorate, self } = context.state;
  broadcast(context, item);
  const to = item.next.members
    .map(({ member }) => member)
    .filter((name) => name !== self.member && !electorate.names.includes(name));
  if (to.length > 0)
    context.outputs.push({ kind: 'send-by-name', epoch: electorate.number, to, item });
}

/**
 * Accepts the proposed next epoch. Only a wedged voter accepts, and only if it has not promised a
 * greater ballot.
 */
export function receiveAccept(
  context: StepContext,
  from: Sender,
  { ballot, next }: AcceptRequest,
): void {
  const { state, now } = context;
  const { wedge } = state;
  if (!isBindable(state) || wedge === undefined) return;
  if (isOutranked(ballot, wedge.promised))
    return reply(context, from, { kind: 'outranked', by: wedge.promised });
  state.wedge = {
    promised: ballot,
    accepted: { ballot, next },
    proposed: wedge.proposed,
    tokens: wedge.tokens,
  };
  state.takeOverAt = now + takeOverMs(context);
  persist(context);
  sendAccepted(context, { kind: 'accepted', ballot, next });
}
