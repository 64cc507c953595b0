// One member of the Scuttlebutt protocol, as a pure machine: gossip carries what the election
// declares. Time, randomness and messages are arguments.
//
//   round     every interval: one more beat, digests to some peers
//   renewal   every election interval, of voters and of members with votes: fresh bounds, sent to
//             the voters and to the favorites, and one digest of them to one of them
//   review    after every change: votes, terms and leaders
// Rule numbers such as R4: docs/reference/rules.md.

import type { Instant } from '@leadership/core/adapter';
import type { Moment } from '@leadership/core/internal/engine';
import { type Declaration, refersTo } from './election/declaration.ts';
import {
  campaign,
  carriedOver,
  expire,
  greatestOwnClockBound,
  noteDrained,
  noteFenced,
  resign,
} from './election/leading.ts';
import { dueAt, endInOrder, review } from './election/review.ts';
import { greatest } from './election/rules.ts';
import { share } from './election/sharing.ts';
import { selfOf } from './gossip/context.ts';
import { answerDigest, answerReply, type Body } from './gossip/digests.ts';
import { forget } from './gossip/forgetting.ts';
import { mergeDelta, mergeRow } from './gossip/merging.ts';
import { beat, buryTombstones, declare, withEntriesOf, write } from './gossip/owning.ts';
import { random } from './gossip/peers.ts';
import type { ScuttlebuttInput } from './input.ts';
import type { Message } from './message.ts';
import type { ScuttlebuttOutput, Step } from './output.ts';
import type { ScuttlebuttRules } from './rules.ts';
import {
  electors,
  isElector,
  send,
  sendDeclaration,
  sendElectorRows,
  sendRound,
} from './sending.ts';
import { generationAfter, type MemberState, newMember } from './state.ts';
import { beginStep, type StepContext, stateOf, suspectAtOf } from './step-context.ts';

/** Processes one input, and everything that is due at that moment. */
export function step(
  rules: ScuttlebuttRules,
  state: MemberState,
  input: ScuttlebuttInput,
  moment: Moment,
): Step {
  if (state.isRefused) return { state, outputs: [], wakeAt: never };
  const context = beginStep(rules, state, moment);
  expire(context.election);
  apply(context, input);
  if (context.isRefused) return refuse(context);
  if (mustStartAgain(context)) {
    report(context);
    return startAgain(context, moment);
  }
  doDueWork(context);
  report(context);
  const suspectAt = isRosterStale(context) ? suspectAtOf(context) : state.suspectAt;
  const reviewAt = dueAt(context.election);
  const at = Math.min(renewalAtOf(context), context.gossipAt, suspectAt, reviewAt);
  return {
    state: stateOf(context, suspectAt, reviewAt),
    outputs: context.outputs,
    wakeAt: (state.startedAt + at) as Instant,
  };
}

/**
 * Whether votes for this generation may count wrongly, or others ignore it. A life that has ended in
 * order counts and publishes none: a later one would hide its last vote from the next process (S7).
 */
function mustStartAgain({ hasClockStopped, gossip, election }: StepContext): boolean {
  if (election.state.hasClosed) return false;
  return hasClockStopped || gossip.rivalGeneration > election.state.generation;
}

const never = Number.POSITIVE_INFINITY as Instant;

function apply(context: StepContext, input: ScuttlebuttInput): void {
  const { election } = context;
  switch (input.kind) {
    case 'wake':
      return;
    case 'clock-stopped':
      return noteClockStop(context);
    case 'received':
      return receive(context, input.message);
    case 'campaign':
      return campaign(election, input.on, input.partition);
    case 'resign':
      return resign(election, input.partition, input.atLeastMs);
    case 'drained':
      return noteDrained(election, input.partition);
    case 'fenced':
      return noteFenced(election, input.partition, input.lapse);
    case 'close':
      return endInOrder(election);
    case 'set':
      if (!write(context.gossip, input.key, input.value)) context.outputs.push({ kind: 'full' });
  }
}

/**
 * A stopped clock invalidates the bounds on it, and votes that rest on them would count
 * as fresh long after they were cast. They are of this generation: a new one is free of them.
 */
function noteClockStop(context: StepContext): void {
  const { rules, election } = context;
  if (rules.renewsAfterStop) context.hasClockStopped = true;
  else
    for (const [partition] of election.state.candidateStates.entries())
      noteFenced(election, partition, false);
}

function receive(context: StepContext, { pin, from, body }: Message): void {
  const { config, gossip } = context;
  if (from.name === config.member && pin === config.pin) return mergeRow(gossip, from, true);
  if (pin !== config.pin) return receiveOtherPin(context, from.name, body);
  if (!context.contactedBy.includes(from.name) && config.voters.includes(from.name))
    context.contactedBy = [...context.contactedBy, from.name];
  mergeRow(gossip, from, true);
  const answer = answerTo(context, body);
  if (answer) context.answers.push({ to: from.name, body: answer });
  const bound = Math.max(gossip.ownClockBound, greatestOwnClockBound(context.election));
  if (context.rules.showsClockStop(bound, context.now)) context.hasClockStopped = true;
  if (context.rules.countsForwarded) noteForwarded(context);
}

/**
 * A voter that names this life has received something of it, also where the two reach each other
 * only over other members. Those send this pin as well.
 */
function noteForwarded(context: StepContext): void {
  const { config, gossip, election, contactedBy } = context;
  if (contactedBy.length > 0) return;
  const self = { member: config.member, generation: election.state.generation };
  const found = config.voters.find((voter) => {
    const vote = voter === config.member ? undefined : gossip.nodes.get(voter)?.declaration?.vote;
    return vote !== undefined && refersTo(vote, self);
  });
  if (found !== undefined) context.contactedBy = [found];
}

function answerTo(context: StepContext, body: Body<Declaration>): Body<Declaration> | undefined {
  const { gossip } = context;
  switch (body.kind) {
    case 'digest':
      return answerDigest(gossip, body, electors(context));
    case 'reply':
      return answerReply(gossip, body);
    case 'deltas':
      for (const delta of body.deltas) mergeDelta(gossip, delta);
      return undefined;
  }
}

/** A newcomer refuses; a member that takes part goes on, and answers so that the other refuses. */
function receiveOtherPin(context: StepContext, member: string, body: Body<Declaration>): void {
  const isFinal = context.rules.refuses && !takesPart(context);
  context.outputs.push({ kind: 'differs', member, isFinal });
  if (isFinal) context.isRefused = true;
  else if (body.kind === 'digest')
    context.answers.push({ to: member, body: { kind: 'deltas', deltas: [] } });
}

/** Whether this member has voted, claimed or led, in a group of more than itself. */
function takesPart({ rules, config, election, contactedBy }: StepContext): boolean {
  const isAlone = config.voters.length === 1 && config.voters[0] === config.member;
  return rules.takesPart(election.state.hasTakenPart, isAlone || contactedBy.length > 0);
}

function refuse(context: StepContext): Step {
  const { suspectAt, reviewAt } = context.state;
  return { state: stateOf(context, suspectAt, reviewAt), outputs: context.outputs, wakeAt: never };
}

/**
 * Starts again under a later generation: all that earlier lives of this name declared is void. The
 * promises of the process to its work and its host remain.
 */
function startAgain(context: StepContext, moment: Moment): Step {
  const { rules, config, gossip, election } = context;
  const latest = Math.max(gossip.rivalGeneration, election.state.generation);
  const generation = generationAfter(latest, moment.wallMicros, random(gossip));
  const outputs: ScuttlebuttOutput[] = [...context.outputs];
  election.state.candidateStates.forEach(({ term }, partition) => {
    if (term) outputs.push({ kind: 'lost', partition });
  });
  // The new life knows no leader yet.
  election.state.leaders.forEach((leader, partition) => {
    if (leader) outputs.push({ kind: 'leader', partition, leader: undefined });
  });
  outputs.push({ kind: 'renewed', generation });
  const fresh = newMember(rules, config, { generation, seed: gossip.seed }, moment);
  const carried = carriedOver(election.state, context.now);
  const state = {
    ...fresh,
    gossip: withEntriesOf(fresh.gossip, selfOf(gossip)),
    election: {
      ...fresh.election,
      // The process has taken part, and knows that the others have its pin: it is not a newcomer (R4).
      hasTakenPart: election.state.hasTakenPart,
      greatestToken: greatest(election.state.greatestToken, election.state.claim),
      candidateStates: fresh.election.candidateStates.map((one, index) => ({
        ...one,
        ...carried[index],
      })),
    },
    contactedBy: context.contactedBy,
  };
  return { state, outputs, wakeAt: moment.now };
}

/** Does everything that is due. */
function doDueWork(context: StepContext): void {
  const { state, now, gossip } = context;
  const isRound = now >= state.gossipAt;
  const isRenewal = isElector(context) && now >= state.electionAt;
  admit(context);
  if (isRound || isRenewal) beat(gossip);
  if (isRound) maintain(context);
  if (isRenewal) context.electionAt = now + context.config.electionMs;
  if (isRound || isRenewal || isReviewDue(context)) elect(context, isRenewal);
  if (isRenewal) sendElectorRows(context);
  if (isRound) sendRound(context);
  for (const { to, body } of context.answers) send(context, to, body);
}

/** Reviews the election, and sends a new declaration to the members that wait for it. */
function elect(context: StepContext, isRenewal: boolean): void {
  const { state, gossip, election } = context;
  review(election, isRenewal);
  const { declaration, sequence } = election.state;
  if (sequence > state.election.sequence) declare(gossip, declaration, sequence);
  if (isRenewal || election.hasChanged) sendDeclaration(context);
}

/**
 * Removes what has been silent or deleted for long enough, and compares the numbers of partitions,
 * once per round.
 */
function maintain(context: StepContext): void {
  const { gossip, election, config, now } = context;
  forget(gossip);
  buryTombstones(gossip);
  share(election);
  context.gossipAt = now + config.intervalMs * (1 - jitter + 2 * jitter * random(gossip));
}

/** Rounds of different members must not stay aligned. */
const jitter = 0.1;

function isReviewDue({ state, now, gossip, election }: StepContext): boolean {
  return (
    gossip.changed.size > 0 ||
    election.hasChanged ||
    now >= state.suspectAt ||
    now >= state.reviewAt
  );
}

/** A newcomer takes part once every voter has shown the same pin, or P has passed (R4). */
function admit({ config, election, contactedBy, now }: StepContext): void {
  if (election.state.isAdmitted) return;
  const others = config.voters.filter((voter) => voter !== config.member);
  if (now < config.thresholdMs && !others.every((voter) => contactedBy.includes(voter))) return;
  election.state.isAdmitted = true;
  election.hasChanged = true;
}

/** Reports the effects of the election before the messages of this step, and changes of members. */
function report(context: StepContext): void {
  const { gossip, election, state, outputs } = context;
  const { startedAt } = state;
  const effects: ScuttlebuttOutput[] = election.outputs.map((output) => {
    switch (output.kind) {
      case 'granted':
        return {
          ...output,
          until: (startedAt + output.until) as Instant,
          sentAt: (startedAt + output.sentAt) as Instant,
        };
      case 'leader':
        return { ...output, leader: election.state.leaders[output.partition] };
      default:
        return output;
    }
  });
  outputs.unshift(...effects);
  if (gossip.implausible > 0) outputs.push({ kind: 'implausible', parts: gossip.implausible });
}

/** Whether a living member may be suspected earlier than the last review found. */
function isRosterStale({ gossip, now, state }: StepContext): boolean {
  return gossip.changed.size > 0 || now >= state.gossipAt || now >= state.suspectAt;
}

function renewalAtOf(context: StepContext): number {
  return isElector(context) ? context.electionAt : Number.POSITIVE_INFINITY;
}
