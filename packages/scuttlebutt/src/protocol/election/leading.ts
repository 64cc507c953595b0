// Leads (S5): a candidate leads while a majority of the voters has published a recent enough vote
// for this life of it. A term begins with votes that accepted its claim: the claim is its token.
// Rule numbers such as S5: docs/reference/rules.md.

import {
  changeCandidateState,
  type ElectionContext,
  isEligible,
  peerOf,
  voteOf,
} from './context.ts';
import { type Candidacy, isSameLife, type Life, type Support } from './declaration.ts';
import { successorFor } from './placement.ts';
import { greatest } from './rules.ts';
import type { CandidateState, ElectionState } from './state.ts';

/** Ends every term whose proof has expired. An expiry that was seen is final (H4). */
export function expire(context: ElectionContext): void {
  const { state, clock, outputs } = context;
  state.candidateStates.forEach(({ term, abstainMs }, partition) => {
    if (term === undefined || clock < term.until) return;
    changeCandidateState(context, partition, { term: undefined });
    outputs.push({ kind: 'lost', partition });
    context.hasChanged = true;
    if (term.isRevoking) abstain(context, partition, abstainMs);
    else noteFailure(context, partition);
  });
}

/**
 * A member that lost its term, or that cannot begin one with the votes of a majority, receives votes
 * too late or not reliably. If another candidate can lead, that one is elected at once, because this
 * one counts no votes for P. It asks for the partition again only after a time that grows with
 * every failure: each attempt leaves the partition without a leader.
 */
function noteFailure(context: ElectionContext, partition: number): void {
  const { rules, config, state, clock } = context;
  const own = state.candidateStates[partition];
  if (own === undefined || !hasOtherCandidate(context, partition)) return;
  if (clock >= own.asksFrom) {
    const failures = own.failures + 1;
    const asksFrom = clock + rules.asksAfterMs(failures, config.thresholdMs);
    changeCandidateState(context, partition, { failures, asksFrom });
  }
  abstain(context, partition, 0);
}

function hasOtherCandidate({ roster }: ElectionContext, partition: number): boolean {
  for (const peer of roster.candidates()) if (isEligible(peer, partition)) return true;
  return false;
}

/** Counts the votes of every partition. */
export function reviewTerms(context: ElectionContext): void {
  const { state } = context;
  for (let partition = 0; partition < state.candidateStates.length; partition += 1) {
    endLapse(context, partition);
    const own = state.candidateStates[partition];
    if (own?.term) extend(context, partition, own);
    else if (own && mayBegin(context, own)) tryToBegin(context, partition, own);
  }
}

/** A term that was left to lapse ends for its work too: now the voters may support another. */
function endLapse(context: ElectionContext, partition: number): void {
  const own = context.state.candidateStates[partition];
  if (own === undefined || own.lapseUntil === Number.NEGATIVE_INFINITY) return;
  if (context.clock < own.lapseUntil) return;
  changeCandidateState(context, partition, { lapseUntil: Number.NEGATIVE_INFINITY });
  abstain(context, partition, own.abstainMs);
}

function mayBegin({ state, clock }: ElectionContext, own: CandidateState): boolean {
  return state.isAdmitted && own.isCampaigning && clock >= own.lapseUntil;
}

function extend(context: ElectionContext, partition: number, own: CandidateState): void {
  const { term } = own;
  const proof = proofOf(context, supportsFor(context, partition, own));
  if (term === undefined || proof === undefined || proof.until <= term.until) return;
  const { until, sentAt } = proof;
  const { rules, config } = context;
  // A term as long as a failed candidate is skipped ends the row of failures.
  const isLong = until - term.since >= rules.skipMs(config.thresholdMs);
  const failures = isLong ? 0 : own.failures;
  changeCandidateState(context, partition, { term: { ...term, until }, failures });
  context.outputs.push({ kind: 'granted', partition, token: term.token, until, sentAt });
}

function tryToBegin(context: ElectionContext, partition: number, own: CandidateState): void {
  const { rules, state, clock, outputs } = context;
  const supports = supportsFor(context, partition, own);
  renewClaim(context, partition, own, supports);
  const latest = proofOf(context, supports);
  if (latest === undefined) return;
  if (latest.until <= clock) {
    // The votes of voters that seem to live arrive too late. Those of others are merely left over.
    const { voters } = context.config;
    const living = voters.filter((voter) => peerOf(context, voter)?.isAlive === true);
    const { length } = supportsFor(context, partition, own, living);
    if (rules.isMajority(length, voters.length)) noteFailure(context, partition);
    return;
  }
  const { claim } = state;
  if (claim === 0n || claim <= own.lastToken) return;
  const electing = supports.filter(({ token }) => rules.elects(token, claim));
  const proof = proofOf(context, electing);
  if (proof === undefined || proof.until <= clock) return;
  const { until, sentAt } = proof;
  const term = { token: claim, since: clock, until, isRevoking: false };
  changeCandidateState(context, partition, { term, lastToken: claim });
  outputs.push({ kind: 'granted', partition, token: claim, until, sentAt });
  state.hasTakenPart = true;
  context.hasChanged = true;
}

/** The votes of some voters that count for this member in a partition. Default: of all voters. */
function supportsFor(
  context: ElectionContext,
  partition: number,
  own: CandidateState,
  voters: readonly string[] = context.config.voters,
): readonly Support[] {
  const { rules, config, state, clock } = context;
  const supports: Support[] = [];
  for (const voter of voters) {
    const support = voteOf(context, voter)?.supports[partition];
    if (support === undefined || support.member !== config.member) continue;
    if (!rules.isForLife(support, state.generation)) continue;
    if (rules.counts(support.bound, clock, own.horizon)) supports.push(support);
  }
  return supports;
}

/** Returns the greatest bound on the own clock that any vote for this life names. */
export function greatestOwnClockBound({ config, state, roster }: ElectionContext): number {
  let greatestBound = Number.NEGATIVE_INFINITY;
  if (state.candidateStates.length === 0) return greatestBound;
  const self: Life = { member: config.member, generation: state.generation };
  for (const voter of config.voters)
    for (const support of roster.get(voter)?.declaration?.vote?.supports ?? [])
      if (support && support.bound > greatestBound && isSameLife(support, self))
        greatestBound = support.bound;
  return greatestBound;
}

interface Proof {
  readonly until: number;
  readonly sentAt: number;
}

/** The end of the belief that a majority supports; `undefined` without a majority. */
function proofOf(
  { rules, config }: ElectionContext,
  supports: readonly Support[],
): Proof | undefined {
  if (!rules.isMajority(supports.length, config.voters.length)) return undefined;
  const bounds = supports.map(({ bound }) => bound).sort((a, b) => b - a);
  const index = bounds.findIndex((_, place) => rules.isMajority(place + 1, config.voters.length));
  const bound = bounds[index];
  if (bound === undefined) return undefined;
  const { thresholdMs, beliefMs = thresholdMs, driftRate } = config;
  return { until: rules.believeUntil(bound, beliefMs, driftRate), sentAt: bound };
}

/** Makes a greater claim if the voters need one, and once whenever the partition becomes free. */
function renewClaim(
  context: ElectionContext,
  partition: number,
  own: CandidateState,
  supports: readonly Support[],
): void {
  const { state } = context;
  const leader = state.leaders[partition];
  const isVacant = leader === undefined || leader.isLeaving;
  if (isVacant !== own.isVacant) changeCandidateState(context, partition, { isVacant });
  const known = greatest(own.lastToken, ...supports.map(({ above }) => above));
  const isNeeded = supports.length > 0 && state.claim <= known;
  if (!isNeeded && !(isVacant && !own.isVacant)) return;
  const exceeded = greatest(known, state.claim, state.greatestToken);
  state.claim = context.rules.token(exceeded, context.wallMicros);
  state.hasTakenPart = true;
  context.hasChanged = true;
}

/** Ends the term in order, once its work has drained. */
export function resign(context: ElectionContext, partition: number, abstainMs: number): void {
  const own = context.state.candidateStates[partition];
  if (own === undefined) return;
  // The work of a term that lapses may still run: the horizon is declared when that is over.
  if (context.clock < own.lapseUntil || own.term?.isRevoking)
    return changeCandidateState(context, partition, {
      abstainMs: Math.max(own.abstainMs, abstainMs),
    });
  if (own.term === undefined) return abstain(context, partition, abstainMs);
  const term = { ...own.term, isRevoking: true };
  changeCandidateState(context, partition, { term, abstainMs });
  context.outputs.push({ kind: 'drain', partition, token: term.token });
  context.hasChanged = true;
}

/** The work has drained: belief ends, and only then is the horizon declared. */
export function noteDrained(context: ElectionContext, partition: number): void {
  const own = context.state.candidateStates[partition];
  if (!own?.term?.isRevoking) return;
  changeCandidateState(context, partition, { term: undefined });
  context.outputs.push({ kind: 'released', partition });
  abstain(context, partition, own.abstainMs);
}

/** The host has ended the term. `isLapse`: its work may go on until the term would have ended. */
export function noteFenced(context: ElectionContext, partition: number, isLapse: boolean): void {
  const own = context.state.candidateStates[partition];
  if (own?.term === undefined) return;
  const { until, isRevoking } = own.term;
  const lapseUntil = isLapse ? until : Number.NEGATIVE_INFINITY;
  changeCandidateState(context, partition, { term: undefined, lapseUntil });
  context.hasChanged = true;
  if (isRevoking && !isLapse) abstain(context, partition, own.abstainMs);
}

/** Promises to count no vote with a bound up to a horizon, and declares it. */
function abstain(context: ElectionContext, partition: number, abstainMs: number): void {
  const { rules, state, clock, config } = context;
  const own = state.candidateStates[partition];
  const horizon = rules.horizon(clock, config.thresholdMs, abstainMs);
  if (own === undefined) return;
  if (horizon <= own.horizon) return changeCandidateState(context, partition, { abstainMs: 0 });
  changeCandidateState(context, partition, {
    abstainMs: 0,
    horizon,
    successor: successorFor(context, partition),
  });
  context.hasChanged = true;
}

/**
 * Returns what a new life of the same process keeps of a candidate: what its host wants, and how long
 * it stays out. Its clock starts at 0.
 */
export function carriedOver(
  { candidateStates }: ElectionState,
  clock: number,
): readonly Partial<CandidateState>[] {
  return candidateStates.map((own) => {
    const { isCampaigning, term, lapseUntil, abstainMs, failures, successor } = own;
    const isDraining = term?.isRevoking === true;
    const remains = (at: number): number => (at > clock ? at - clock : Number.NEGATIVE_INFINITY);
    // The work of a term that drains ends with the life: what follows the drain begins now.
    const horizon = isDraining ? Math.max(own.horizon, clock + abstainMs) : own.horizon;
    return {
      isCampaigning,
      failures,
      abstainMs: isDraining ? 0 : abstainMs,
      // The successor of a drain that was cut short has not been chosen.
      successor: isDraining ? undefined : successor,
      horizon: remains(horizon),
      lapseUntil: remains(lapseUntil),
      asksFrom: remains(own.asksFrom),
    };
  });
}

/** Starts or stops standing, for one partition or for all. */
export function campaign(context: ElectionContext, on: boolean, only: number | undefined): void {
  context.state.candidateStates.forEach(({ isCampaigning }, partition) => {
    if (isCampaigning === on || (only !== undefined && only !== partition)) return;
    changeCandidateState(context, partition, { isCampaigning: on });
    context.hasChanged = true;
  });
}

/** Returns the candidacy to publish now. */
export function candidacyOf({ config, state, clock }: ElectionContext): Candidacy | undefined {
  const { candidateStates, claim } = state;
  if (candidateStates.length === 0 || !state.isAdmitted) return undefined;
  const leads = candidateStates.map(({ term }) => term?.token);
  return {
    claim,
    stands: candidateStates.map(({ isCampaigning }) => isCampaigning),
    leads: leads.some((token) => token !== undefined) ? leads : [],
    leaving: candidateStates.map(({ term }) => term?.isRevoking === true),
    wants: candidateStates.map(({ isRequesting }) => isRequesting),
    resignations: candidateStates.flatMap(({ horizon, successor }, partition) =>
      clock < horizon + config.thresholdMs ? [{ partition, horizon, successor }] : [],
    ),
  };
}
