// The small world of the exhaustive search: two members, one partition, one log, and all messages
// in transit. Clocks are whole numbers. Randomness is not simulated: each step of the search picks one
// possible event.

import type { Instant, LeaseRequest, LedgerRecord } from '@leadership/core/adapter';
import {
  type LedgerInput,
  type LedgerRules,
  type MemberConfig,
  newPartition,
  type PartitionState,
  step,
} from '@leadership/core/internal/ledger';

/** The complete state at one moment. Immutable: each event creates a new state. */
export interface Situation {
  readonly members: readonly [Member, Member];
  /** The part of the log that the members and a newcomer may still read. */
  readonly log: readonly LedgerRecord[];
  /** The writes in transit, which may land at any time or never. */
  readonly flights: readonly LedgerRecord[];
  /** A lease request in transit, and the index of its receiver. */
  readonly want: { readonly at: Index; readonly want: LeaseRequest } | undefined;
  /** Number of writes that may still land. */
  readonly writesLeft: number;
  /** Number of lease requests that may still arrive. */
  readonly wantsLeft: number;
  readonly restartsLeft: number;
}

/** Index of a member. */
export type Index = 0 | 1;

/** One member, at its own time. */
export interface Member {
  readonly state: PartitionState;
  readonly now: number;
  /** Number of records of the log that the member has read. */
  readonly position: number;
}

/** The parameters of one search. */
export interface Question {
  readonly rules: LedgerRules;
  /** Units by which each clock advances per unit of real time. An exact clock advances by 4. */
  readonly rates: readonly [number, number];
  /** T of each member, in units of its clock. */
  readonly thresholdsMs: readonly [number, number];
  /** Whether there is no leader at first, or the stand-in leads and both members know it. */
  readonly begins: 'unled' | 'led';
  readonly writes: number;
  readonly wants: number;
  readonly restarts: number;
}

/** An exact clock advances by 4 per unit of real time, the others by 3 or by 5. */
const driftRate = 0.25;

/**
 * Returns the state in which both members have read an empty log to its end and there is no leader.
 */
export function unled(question: Question): Situation {
  const members = [newcomer(question, 0, 0, 0), newcomer(question, 1, 0, 0)] as const;
  const empty: Situation = {
    members,
    log: [],
    flights: [],
    want: undefined,
    writesLeft: question.writes,
    wantsLeft: question.wants,
    restartsLeft: question.restarts,
  };
  return ([0, 1] as const).reduce(
    (situation, index) => introduced(question, situation, index),
    empty,
  );
}

/** Returns a member that has just started, without any knowledge. */
export function newcomer(
  { thresholdsMs }: Question,
  index: Index,
  life: number,
  now: number,
): Member {
  const thresholdMs = thresholdsMs[index];
  const member = index === 0 ? 'a' : 'b';
  const told = {
    group: 'g',
    member,
    incarnation: `${member}${life === 0 ? '' : life}`,
    partitions: 1,
    thresholdMs,
  };
  const thresholdMsMax = Math.max(...thresholdsMs);
  const self: MemberConfig = {
    ...told,
    thresholdMsMax,
    driftRate,
    shape: 'log',
    hasLeaseRequests: true,
    jitter: 0,
  };
  return { state: newPartition(self, 0, now as Instant), now, position: 0 };
}

/**
 * Passes the constant inputs to the member: the agreeing pin and the ranks. An empty log is read to
 * its end at once.
 */
export function introduced(question: Question, situation: Situation, index: Index): Situation {
  const incarnations = situation.members.map(({ state }) => state.self.incarnation);
  const inputs: readonly LedgerInput[] = [
    { kind: 'pin', pin: 'agrees' },
    { kind: 'ranks', ranks: incarnations },
  ];
  const known = inputs.reduce(
    (before, input) => stepped(question, before, index, input),
    situation,
  );
  return atEnd(known.members[index], known)
    ? stepped(question, known, index, { kind: 'end' })
    : known;
}

/** Returns whether the member has read the whole log. */
export function atEnd({ position }: Member, { log }: Situation): boolean {
  return position === log.length;
}

/** Applies one input to one member, and executes its outputs. */
export function stepped(
  { rules }: Question,
  situation: Situation,
  index: Index,
  input: LedgerInput,
): Situation {
  const member = situation.members[index];
  const { state, outputs } = step(rules, member.state, input, {
    now: member.now as Instant,
    wallMicros: 0,
  });
  let after = withMember(situation, index, { ...member, state });
  for (const output of outputs) {
    if (output.kind === 'write') after = sent(after, output.record);
    if (output.kind === 'request-lease') after = asked(after, index === 0 ? 1 : 0, output.request);
  }
  return after;
}

/** Returns the state with one member replaced. */
export function withMember(situation: Situation, index: Index, member: Member): Situation {
  const [a, b] = situation.members;
  return { ...situation, members: index === 0 ? [member, b] : [a, member] };
}

/** Returns whether the member reports leadership now (H5). */
export function leads({ state: { leaseState }, now }: Member): boolean {
  return (
    (leaseState.kind === 'leading' || leaseState.kind === 'revoking') && now < leaseState.until
  );
}

/** Maximum number of writes in transit. A further write replaces the oldest, which is lost. */
const flightsMax = 2;

function asked(situation: Situation, at: Index, want: LeaseRequest): Situation {
  return situation.wantsLeft === 0 ? situation : { ...situation, want: { at, want } };
}

function sent(situation: Situation, record: LedgerRecord): Situation {
  if (situation.writesLeft === 0) return situation;
  return { ...situation, flights: [...situation.flights, record].slice(-flightsMax) };
}
