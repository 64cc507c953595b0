// Changes the members of a group (N13): an epoch is the time with the same members. An attempt to
// end the epoch probes whether a quorum of voters can be wedged (stopped for good in this epoch),
// wedges it, has a quorum accept the next epoch, then informs all members. Without the probe, a few
// voters could be wedged while the others never can be, and the epoch could neither continue nor
// end.
import { isOutranked, isSameBallot } from './ballot.ts';
import { type Electorate, type Epoch, faultInEpoch } from './electorate.ts';
import { enterEpoch } from './epochs.ts';
import type { NerioInput } from './input.ts';
import { noteAccepted } from './learning-epoch.ts';
import { nobody, only } from './members.ts';
import type { AcceptedReply, Bindable, Outranked, Wedged } from './message.ts';
import type { Proposal } from './state.ts';
import { type StepContext, send } from './step-context.ts';
import { takeOverMs } from './wedging.ts';

type Reconfigure = NerioInput & { readonly kind: 'reconfigure' };

/**
 * Begins an attempt to end the epoch, one at a time. Ignores a next epoch that could elect no
 * leader, or two.
 */
export function reconfigure(context: StepContext, { next }: Reconfigure): void {
  const { state } = context;
  const { electorate, index, proposal } = state;
  const epoch = {
    number: electorate.number + 1,
    members: next.members,
    quorums: next.quorums,
    tokens: [],
  };
  if (index < 0 || proposal !== undefined || faultInEpoch(epoch) !== undefined) return;
  propose(context, epoch);
}

/**
 * Begins an attempt. A ballot must never name two next epochs: a quorum might accept each of them.
 */
function propose(context: StepContext, next: Epoch): void {
  const { state, rules } = context;
  const ballot = rules.ballot(state.self, state.wedge?.promised.round ?? 0, state.knownRound);
  state.knownRound = Math.max(state.knownRound, ballot.round);
  const tokens = state.grants.map(() => 0n);
  const nothingYet = {
    bindable: nobody,
    wedged: nobody,
    accepted: nobody,
    bestAccepted: undefined,
    accepting: undefined,
  };
  state.proposal = {
    ballot,
    next,
    tokens,
    retryAt: context.now,
    probesUntil: context.now + state.self.leaseMsMax,
    ...nothingYet,
  };
}

/** Repeats unanswered requests and replaces a stalled attempt. Returns when to call it again. */
export function pursue(context: StepContext): number {
  const { state, now } = context;
  if (state.proposal === undefined && state.wedge !== undefined && now >= state.takeOverAt) {
    propose(context, state.wedge.proposed);
  }
  giveUpLooking(context);
  const { proposal } = state;
  if (proposal === undefined)
    return state.wedge === undefined ? Number.POSITIVE_INFINITY : state.takeOverAt;
  if (now < proposal.retryAt) return proposal.retryAt;
  const retryAt = now + state.self.pingMs;
  state.proposal = { ...proposal, retryAt };
  sendRequests(context, state.proposal);
  return retryAt;
}

/**
 * Abandons an attempt if too few voters have confirmed that they can be wedged. It has wedged none,
 * so nothing must be undone, and the host may ask again.
 */
function giveUpLooking(context: StepContext): void {
  const { state, now } = context;
  const { proposal } = state;
  if (proposal === undefined || now < proposal.probesUntil || hasBegun(context, proposal)) return;
  state.proposal = undefined;
  if (state.wedge !== undefined) propose(context, state.wedge.proposed);
}

/** Whether the proposer may wedge voters: enough of them have confirmed that they can be. */
function hasBegun({ rules, state }: StepContext, { bindable }: Proposal): boolean {
  return rules.canEnd(state.electorate.quorums, bindable);
}

function sendRequests(context: StepContext, proposal: Proposal): void {
  const { ballot, next, bindable, wedged, accepting, accepted } = proposal;
  const { voters } = context.state.electorate;
  if (!hasBegun(context, proposal))
    return send(context, voters & ~bindable, { kind: 'probe', ballot });
  send(context, voters & ~wedged, { kind: 'wedge', ballot, next });
  if (accepting !== undefined)
    send(context, wedged & ~accepted, { kind: 'accept', ballot, next: accepting });
}

/** A voter has confirmed that it can be wedged. Once a quorum has, asks all voters. */
export function receiveBindable(context: StepContext, index: number, { ballot }: Bindable): void {
  const { state } = context;
  const { proposal } = state;
  if (
    proposal === undefined ||
    !isSameBallot(proposal.ballot, ballot) ||
    hasBegun(context, proposal)
  )
    return;
  state.proposal = { ...proposal, bindable: proposal.bindable | only(index) };
  if (hasBegun(context, state.proposal)) sendRequests(context, state.proposal);
}

/**
 * A voter is wedged. Once a quorum is, no member leads in this epoch, and the latest accepted
 * epoch, if any, must follow.
 */
export function receiveWedged(context: StepContext, index: number, wedged: Wedged): void {
  const { state, rules } = context;
  const { proposal } = state;
  if (proposal === undefined || !isSameBallot(proposal.ballot, wedged.ballot)) return;
  const all = proposal.wedged | only(index);
  const tokens = proposal.tokens.map((token, partition) =>
    greater(token, wedged.tokens[partition] ?? 0n),
  );
  const bestAccepted = latestOf(proposal.bestAccepted, wedged.accepted);
  const { ballot, accepted } = proposal;
  const isOver = rules.terminates(state.electorate.quorums, all);
  const accepting =
    proposal.accepting ??
    (isOver ? (bestAccepted?.next ?? { ...proposal.next, tokens }) : undefined);
  state.proposal = { ...proposal, wedged: all, tokens, bestAccepted, accepting };
  if (accepting !== undefined)
    send(context, all & ~accepted, { kind: 'accept', ballot, next: accepting });
}

/** A voter has accepted the next epoch. Once a quorum has, the decision is final. */
export function receiveAccepted(context: StepContext, index: number, reply: AcceptedReply): void {
  const { state, rules } = context;
  const { proposal } = state;
  if (proposal?.accepting === undefined || !isSameBallot(proposal.ballot, reply.ballot))
    return noteAccepted(context, index, reply);
  const accepted = proposal.accepted | only(index);
  state.proposal = { ...proposal, accepted };
  if (rules.terminates(state.electorate.quorums, accepted))
    conclude(context, state.electorate, proposal.accepting);
}

function conclude(context: StepContext, before: Electorate, epoch: Epoch): void {
  const { member } = context.state.self;
  const names = new Set([...before.names, ...epoch.members.map((one) => one.member)]);
  names.delete(member);
  context.outputs.push({
    kind: 'send-by-name',
    epoch: epoch.number,
    to: [...names],
    item: { kind: 'running', epoch },
  });
  enterEpoch(context, epoch);
}

/**
 * A voter has promised a greater ballot: gives way to that attempt for a while, then tries with a
 * greater ballot.
 */
export function receiveOutranked(context: StepContext, { by }: Outranked): void {
  const { state, now } = context;
  state.knownRound = Math.max(state.knownRound, by.round);
  if (state.proposal === undefined || !isOutranked(state.proposal.ballot, by)) return;
  const { next } = state.proposal;
  state.proposal = undefined;
  if (state.wedge === undefined) return;
  state.wedge = {
    ...state.wedge,
    promised: isOutranked(state.wedge.promised, by) ? by : state.wedge.promised,
    proposed: next,
  };
  state.takeOverAt = now + takeOverMs(context);
}

function latestOf(
  a: Proposal['bestAccepted'],
  b: Proposal['bestAccepted'],
): Proposal['bestAccepted'] {
  if (a === undefined || b === undefined) return a ?? b;
  return isOutranked(a.ballot, b.ballot) ? b : a;
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
