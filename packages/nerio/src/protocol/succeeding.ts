// An attempt to end the epoch (N13): look whether a quorum can be wedged, wedge it, have a quorum accept what follows, then tell everyone.
// Without the look a few would be wedged where the others never can be, and the epoch could neither go on nor end.
import { isOutranked, isSameBallot } from './ballot.ts';
import { type Electorate, type Epoch, faultInEpoch } from './electorate.ts';
import { enterEpoch } from './epochs.ts';
import type { NerioInput } from './input.ts';
import { nobody, only } from './members.ts';
import type { AcceptedReply, Bindable, Outranked, Wedged } from './message.ts';
import type { Proposal } from './state.ts';
import { noteAccepted } from './succession.ts';
import { send, type Turn } from './turn.ts';
import { takeOverMs } from './wedging.ts';

type Reconfigure = NerioInput & { readonly kind: 'reconfigure' };

/** The epoch is to end. One attempt at a time; an epoch that could not elect, or could elect two, is not even proposed. */
export function reconfigure(turn: Turn, { next }: Reconfigure): void {
  const { state } = turn;
  const { electorate, index, proposal } = state;
  const epoch = { number: electorate.number + 1, members: next.members, quorums: next.quorums, tokens: [] };
  if (index < 0 || proposal !== undefined || faultInEpoch(epoch) !== undefined) return;
  propose(turn, epoch);
}

/** No ballot is used twice, not for another epoch to follow: or each might be accepted by a quorum, and there were two. */
function propose(turn: Turn, next: Epoch): void {
  const { state, rules } = turn;
  const ballot = rules.ballot(state.self, state.wedge?.promised.round ?? 0, state.knownRound);
  state.knownRound = Math.max(state.knownRound, ballot.round);
  const tokens = state.grants.map(() => 0n);
  const nothingYet = { bindable: nobody, wedged: nobody, accepted: nobody, bestAccepted: undefined, accepting: undefined };
  state.proposal = { ballot, next, tokens, retryAt: turn.now, probesUntil: turn.now + state.self.leaseMsMax, ...nothingYet };
}

/** Asks again those who have not answered, takes over what came to nothing, and says when to look again. */
export function pursue(turn: Turn): number {
  const { state, now } = turn;
  if (state.proposal === undefined && state.wedge !== undefined && now >= state.takeOverAt) {
    propose(turn, state.wedge.proposed);
  }
  giveUpLooking(turn);
  const { proposal } = state;
  if (proposal === undefined) return state.wedge === undefined ? Number.POSITIVE_INFINITY : state.takeOverAt;
  if (now < proposal.retryAt) return proposal.retryAt;
  const retryAt = now + state.self.pingMs;
  state.proposal = { ...proposal, retryAt };
  ask(turn, state.proposal);
  return retryAt;
}

/** Too few have said that they could be wedged. Nobody has been, by this attempt, and nothing is to be undone: whoever wants it asks again. */
function giveUpLooking(turn: Turn): void {
  const { state, now } = turn;
  const { proposal } = state;
  if (proposal === undefined || now < proposal.probesUntil || hasBegun(turn, proposal)) return;
  state.proposal = undefined;
  if (state.wedge !== undefined) propose(turn, state.wedge.proposed);
}

/** Whether voters may be wedged: enough of them can be. */
function hasBegun({ rules, state }: Turn, { bindable }: Proposal): boolean {
  return rules.canEnd(state.electorate.quorums, bindable);
}

function ask(turn: Turn, proposal: Proposal): void {
  const { ballot, next, bindable, wedged, accepting, accepted } = proposal;
  const { voters } = turn.state.electorate;
  if (!hasBegun(turn, proposal)) return send(turn, voters & ~bindable, { kind: 'probe', ballot });
  send(turn, voters & ~wedged, { kind: 'wedge', ballot, next });
  if (accepting !== undefined) send(turn, wedged & ~accepted, { kind: 'accept', ballot, next: accepting });
}

/** A voter could be wedged. Once a quorum can, all are asked to be. */
export function hearBindable(turn: Turn, index: number, { ballot }: Bindable): void {
  const { state } = turn;
  const { proposal } = state;
  if (proposal === undefined || !isSameBallot(proposal.ballot, ballot) || hasBegun(turn, proposal)) return;
  state.proposal = { ...proposal, bindable: proposal.bindable | only(index) };
  if (hasBegun(turn, state.proposal)) ask(turn, state.proposal);
}

/** A voter is wedged. Once a quorum is, nobody leads in this epoch any more, and what was accepted before is what follows. */
export function hearWedged(turn: Turn, index: number, wedged: Wedged): void {
  const { state, rules } = turn;
  const { proposal } = state;
  if (proposal === undefined || !isSameBallot(proposal.ballot, wedged.ballot)) return;
  const all = proposal.wedged | only(index);
  const tokens = proposal.tokens.map((token, partition) => greater(token, wedged.tokens[partition] ?? 0n));
  const bestAccepted = latestOf(proposal.bestAccepted, wedged.accepted);
  const { ballot, accepted } = proposal;
  const isOver = rules.terminates(state.electorate.quorums, all);
  const accepting = proposal.accepting ?? (isOver ? (bestAccepted?.next ?? { ...proposal.next, tokens }) : undefined);
  state.proposal = { ...proposal, wedged: all, tokens, bestAccepted, accepting };
  if (accepting !== undefined) send(turn, all & ~accepted, { kind: 'accept', ballot, next: accepting });
}

/** A voter has accepted what follows. Once a quorum has, it is so. */
export function hearAccepted(turn: Turn, index: number, reply: AcceptedReply): void {
  const { state, rules } = turn;
  const { proposal } = state;
  if (proposal?.accepting === undefined || !isSameBallot(proposal.ballot, reply.ballot)) return noteAccepted(turn, index, reply);
  const accepted = proposal.accepted | only(index);
  state.proposal = { ...proposal, accepted };
  if (rules.terminates(state.electorate.quorums, accepted)) conclude(turn, state.electorate, proposal.accepting);
}

function conclude(turn: Turn, before: Electorate, epoch: Epoch): void {
  const { member } = turn.state.self;
  const names = new Set([...before.names, ...epoch.members.map((one) => one.member)]);
  names.delete(member);
  turn.outputs.push({ kind: 'tell', epoch: epoch.number, to: [...names], item: { kind: 'running', epoch } });
  enterEpoch(turn, epoch);
}

/** A voter heeds a greater ballot: gives way to whoever is at it, for a while, then tries with a greater one still. */
export function hearOutranked(turn: Turn, { by }: Outranked): void {
  const { state, now } = turn;
  state.knownRound = Math.max(state.knownRound, by.round);
  if (state.proposal === undefined || !isOutranked(state.proposal.ballot, by)) return;
  const { next } = state.proposal;
  state.proposal = undefined;
  if (state.wedge === undefined) return;
  state.wedge = { ...state.wedge, promised: isOutranked(state.wedge.promised, by) ? by : state.wedge.promised, proposed: next };
  state.takeOverAt = now + takeOverMs(turn);
}

function latestOf(a: Proposal['bestAccepted'], b: Proposal['bestAccepted']): Proposal['bestAccepted'] {
  if (a === undefined || b === undefined) return a ?? b;
  return isOutranked(a.ballot, b.ballot) ? b : a;
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
