// Collects the votes of a candidate (N2): it sends requests to all voters, counts their grants, and
// believes that it leads from the moment before the request. Part of the machine in `step.ts`.

import type { Instant } from '@leadership/core/adapter';
import type { Draft } from '@leadership/core/internal/engine';
import type { Believing, Claim, Round } from './lease.ts';
import { reportGranted, resume } from './lease-state.ts';
import { only } from './members.ts';
import type { Ok, Refused, Standing } from './message.ts';
import { takePart } from './newcomer.ts';
import { measured, roundTripOf } from './round-trip.ts';
import type { Start } from './sample.ts';
import {
  broadcast,
  changeClaim,
  claimOf,
  grantOf,
  isBelieving,
  type StepContext,
  sample,
} from './step-context.ts';

/**
 * Begins a round, which aborts the previous one: the candidate ignores later replies to that one.
 */
export function beginRound(
  context: StepContext,
  partition: number,
  token: bigint,
  giveUpAt: number,
): void {
  const { rules, state, now } = context;
  takePart(context);
  const claim = changeClaim(context, partition);
  const { at, count } = sample(context);
  const start: Start = { incarnation: state.self.incarnation, at, count };
  const roundTripMs = roundTripOf(state.roundTrip, state.self);
  const remainingMs = isBelieving(claim.leaseState) ? Math.max(0, claim.leaseState.until - now) : 0;
  const leaseMs = rules.leaseMs(roundTripMs, remainingMs, state.self);
  const request = {
    kind: 'grant-request',
    partition,
    start,
    leaseMs,
    token,
    ...standingOf(claim),
  } as const;
  const retryAt = now + Math.max(2 * roundTripMs, leaseMs * retryShare);
  claim.round = {
    request,
    granted: 0,
    refused: 0,
    rival: 0n,
    timestamp: [],
    waitMs: 0,
    retryAt,
    giveUpAt,
  };
  claim.lastStart = start;
  if (token > claim.ownToken) claim.ownToken = token;
  broadcast(context, request);
}

/**
 * The delay before a round without a quorum is repeated, as a share of the lease. It allows several
 * rounds in the rest of the lease.
 */
const retryShare = 1 / 8;

function standingOf({ leaseState }: Claim): {
  readonly standing: Standing;
  readonly successor: number;
} {
  if (leaseState.kind === 'follower') return { standing: 'claiming', successor: -1 };
  return leaseState.kind === 'revoking'
    ? { standing: 'leaving', successor: leaseState.successor }
    : { standing: 'leading', successor: -1 };
}

/** Receives a voter's grant. */
export function receiveOk(context: StepContext, index: number, ok: Ok): void {
  const { rules, state } = context;
  const { round, leaseState } = claimOf(context, ok.partition);
  if (ok.isEnding && leaseState.kind === 'leading')
    makeWay(context, ok.partition, leaseState.until);
  measure(context, index, ok);
  if (round === undefined || !rules.answers(ok.start, round.request.start)) return;
  const timestamp = round.timestamp.slice();
  timestamp[index] = { life: ok.life, at: ok.at.at, count: ok.at.count };
  const granted = round.granted | only(index);
  const { request, waitMs, retryAt, giveUpAt } = round;
  const rival = ok.rival > round.rival ? ok.rival : round.rival;
  const next: Round = {
    request,
    granted,
    refused: round.refused & ~only(index),
    rival,
    timestamp,
    waitMs,
    retryAt,
    giveUpAt,
  };
  changeClaim(context, ok.partition).round = next;
  if (rules.holdsQuorum(state.electorate.quorums, granted)) complete(context, ok.partition, next);
}

/**
 * Measures the round trip, also of answers that are too late to count: later leases depend on it
 * (N10).
 */
function measure(
  { state, now }: StepContext,
  index: number,
  { start, waitedMs }: Pick<Ok, 'start' | 'waitedMs'>,
): void {
  const ms = now - start.at - waitedMs;
  const isOwn =
    start.incarnation === state.self.incarnation &&
    index !== state.index &&
    ms <= state.self.leaseMsMax;
  if (isOwn && ms >= 0) state.roundTrip = measured(state.roundTrip, ms, state.self);
}

/**
 * Receives a voter's refusal. Does not count the refusal of a voter that waits for the same release
 * as this candidate.
 */
export function receiveRefused(context: StepContext, index: number, refused: Refused): void {
  const { rules } = context;
  const { round } = claimOf(context, refused.partition);
  measure(context, index, { start: refused.start, waitedMs: 0 });
  if (
    round === undefined ||
    !rules.answers(refused.start, round.request.start) ||
    isForOneLeaving(context, refused)
  )
    return;
  const next = {
    ...round,
    refused: round.refused | only(index),
    waitMs: Math.max(round.waitMs, refused.forMs),
  };
  changeClaim(context, refused.partition).round = next;
}

/**
 * Whether a voter refuses only until the holder has left (N6). The request may have overtaken the
 * holder's announcement on its way to the voter.
 */
function isForOneLeaving(context: StepContext, { partition, holder, isLeaving }: Refused): boolean {
  const known = grantOf(context, partition);
  return (
    isLeaving ||
    (context.rules.queues && known.isLeaving && holder?.incarnation === known.leader?.incarnation)
  );
}

/**
 * The epoch is about to end: abstain, so that the term ends in order before the epoch does (N13).
 */
function makeWay(context: StepContext, partition: number, until: number): void {
  const claim = changeClaim(context, partition);
  claim.abstainUntil = Math.max(claim.abstainUntil, until);
}

/**
 * A quorum has granted: belief counts from before the request (N2). A quorum that arrives after E
 * is ignored.
 */
function complete(context: StepContext, partition: number, round: Round): void {
  const { rules, state, now } = context;
  const { start, leaseMs } = round.request;
  const until = rules.believeUntil(start, leaseMs, state.self, now);
  const claim = changeClaim(context, partition);
  claim.round = undefined;
  if (now >= until) return;
  claim.renewAt = rules.renewAt(
    start,
    leaseMs,
    until,
    roundTripOf(state.roundTrip, state.self),
    state.self,
  );
  if (isBelieving(claim.leaseState))
    prolong(context, partition, claim, claim.leaseState, until, round);
  else if (rules.outranks(round.request.token, round.rival))
    resume(context, partition, claim, until, round);
  else
    beginRound(
      context,
      partition,
      rules.token(round.rival, context.moment.wallMicros),
      round.giveUpAt,
    );
}

/** Extends the running term. If several proofs overlap, the latest deadline applies. */
function prolong(
  context: StepContext,
  partition: number,
  claim: Draft<Claim>,
  leaseState: Believing,
  until: number,
  { request, timestamp }: Round,
): void {
  const { rules, state, now, moment } = context;
  const { kind, token, promisedUntil, announcedBy, since, successor, hasDrained } = leaseState;
  const deadline = Math.max(
    leaseState.deadline,
    rules.beliefUntil(until, now, moment, state.self),
  ) as Instant;
  const latest = Math.max(leaseState.until, until);
  claim.leaseState = {
    kind,
    token,
    until: latest,
    deadline,
    timestamp,
    promisedUntil,
    announcedBy,
    since,
    successor,
    hasDrained,
  };
  reportGranted(context, partition, token, deadline, request);
}

/**
 * Releases everything that voters have granted or will grant up to the latest round. Call it only
 * after belief has ended (N5).
 */
export function giveBack(context: StepContext, partition: number): void {
  const claim = changeClaim(context, partition);
  claim.round = undefined;
  if (claim.lastStart !== undefined)
    broadcast(context, { kind: 'release', partition, start: claim.lastStart });
  claim.lastStart = undefined;
}
