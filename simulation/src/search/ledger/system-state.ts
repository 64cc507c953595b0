// The small world of the exhaustive search: two members, one partition, one log, and all messages
// in transit. Clocks are whole numbers. Randomness is not simulated: each step of the search picks one
// possible event.

import type { Instant } from '@leadership/core/adapter';
import type { LeaseRequest, LedgerRecord } from '@leadership/core/internal/ledger';
import {
  type LedgerInput,
  type LedgerRules,
  type MemberConfig,
  newPartition,
  type PartitionState,
  step,
} from '@leadership/core/internal/ledger';
import type { Checked } from '../../relation/guards.ts';
import { Knowledge } from '../../relation/knowledge.ts';
import type { Paces } from '../../relation/paces.ts';
import { relate } from '../../relation/relation.ts';

/** The complete state at one moment. Immutable: each event creates a new state. */
export interface SystemState {
  readonly members: readonly [Member, Member];
  /** The part of the log that the members and a newcomer may still read. */
  readonly log: readonly LedgerRecord[];
  /** The writes in transit, which may land at any time or never. */
  readonly flights: readonly LedgerRecord[];
  /** A lease request in transit, and the index of its receiver. */
  readonly request: { readonly to: Index; readonly leaseRequest: LeaseRequest } | undefined;
  /** Number of writes that may still land. */
  readonly writesLeft: number;
  /** Number of lease requests that may still arrive. */
  readonly requestsLeft: number;
  readonly restartsLeft: number;
  /** The guard that a step did not satisfy. */
  readonly refuted: string | undefined;
}

/** Index of a member. */
export type Index = 0 | 1;

/** One member, at its own time. */
export interface Member {
  readonly state: PartitionState;
  /** What the check of its steps knows. */
  readonly known: Knowledge;
  readonly now: number;
  /** Number of records of the log that the member has read. */
  readonly position: number;
}

/** The parameters of one search. */
export interface SearchParameters {
  readonly rules: LedgerRules;
  /** Units by which each clock advances per unit of real time. An exact clock advances by 4. */
  readonly rates: readonly [number, number];
  /** T of each member, in units of its clock. */
  readonly thresholdsMs: readonly [number, number];
  /** Whether there is no leader at first, or the stand-in leads and both members know it. */
  readonly begins: 'unled' | 'led';
  readonly writes: number;
  readonly requests: number;
  readonly restarts: number;
}

/** A search: its parameters, and how its steps are checked against the text of the rules. */
export interface Exploration extends SearchParameters {
  readonly paces: Paces;
  readonly checked: Checked;
}

/** An exact clock advances by 4 per unit of real time, the others by 3 or by 5. */
const driftRate = 0.25;

/**
 * Returns the state in which both members have read an empty log to its end and there is no leader.
 */
export function unled(parameters: Exploration): SystemState {
  const members = [newcomer(parameters, 0, 0, 0), newcomer(parameters, 1, 0, 0)] as const;
  const empty: SystemState = {
    members,
    log: [],
    flights: [],
    request: undefined,
    writesLeft: parameters.writes,
    requestsLeft: parameters.requests,
    restartsLeft: parameters.restarts,
    refuted: undefined,
  };
  return ([0, 1] as const).reduce((system, index) => introduced(parameters, system, index), empty);
}

/** Returns a member that has just started, without any knowledge. */
export function newcomer(
  { thresholdsMs, paces }: Exploration,
  index: Index,
  life: number,
  now: number,
): Member {
  const thresholdMs = thresholdsMs[index];
  const member = index === 0 ? 'a' : 'b';
  const identity = {
    group: 'g',
    member,
    incarnation: `${member}${life === 0 ? '' : life}`,
    partitions: 1,
    thresholdMs,
  };
  const thresholdMsMax = Math.max(...thresholdsMs);
  const self: MemberConfig = {
    ...identity,
    thresholdMsMax,
    driftRate,
    shape: 'log',
    hasLeaseRequests: true,
    jitter: 0,
  };
  const known = new Knowledge(self, 0, now as Instant, paces);
  return { state: newPartition(self, 0, now as Instant), known, now, position: 0 };
}

/**
 * Passes the constant inputs to the member: the agreeing pin and the ranks. An empty log is read to
 * its end at once.
 */
export function introduced(
  parameters: Exploration,
  system: SystemState,
  index: Index,
): SystemState {
  const incarnations = system.members.map(({ state }) => state.self.incarnation);
  const inputs: readonly LedgerInput[] = [
    { kind: 'pin', pin: 'agrees' },
    { kind: 'ranks', ranks: incarnations },
  ];
  const known = inputs.reduce((before, input) => stepped(parameters, before, index, input), system);
  return atEnd(known.members[index], known)
    ? stepped(parameters, known, index, { kind: 'end' })
    : known;
}

/** Returns whether the member has read the whole log. */
export function atEnd({ position }: Member, { log }: SystemState): boolean {
  return position === log.length;
}

/** Applies one input to one member, and executes its outputs. */
export function stepped(
  { rules, checked }: Exploration,
  system: SystemState,
  index: Index,
  input: LedgerInput,
): SystemState {
  const member = system.members[index];
  const moment = { now: member.now as Instant, wallMicros: 0 };
  const { state, outputs, wakeAt } = step(rules, member.state, input, moment);
  const known = member.known.copy();
  const [refuted] = relate(known, { input, ...moment, outputs, wakeAt }, checked);
  let after = withMember(system, index, { ...member, state, known });
  if (refuted !== undefined) after = { ...after, refuted };
  for (const output of outputs) {
    if (output.kind === 'write') after = sent(after, output.record);
    if (output.kind === 'request-lease')
      after = requested(after, index === 0 ? 1 : 0, output.request);
  }
  return after;
}

/** Returns the state with one member replaced. */
export function withMember(system: SystemState, index: Index, member: Member): SystemState {
  const [a, b] = system.members;
  return { ...system, members: index === 0 ? [member, b] : [a, member] };
}

/** Returns whether the member reports leadership now (H5). */
export function leads({ state: { leaseState }, now }: Member): boolean {
  return (
    (leaseState.kind === 'leading' || leaseState.kind === 'revoking') && now < leaseState.until
  );
}

/** Maximum number of writes in transit. A further write replaces the oldest, which is lost. */
const flightsMax = 2;

function requested(system: SystemState, to: Index, leaseRequest: LeaseRequest): SystemState {
  return system.requestsLeft === 0 ? system : { ...system, request: { to, leaseRequest } };
}

function sent(system: SystemState, record: LedgerRecord): SystemState {
  if (system.writesLeft === 0) return system;
  return { ...system, flights: [...system.flights, record].slice(-flightsMax) };
}
