// The rules of the election, each of which the simulation can replace.
//
// The numbers and comparisons of the election (S3 to S5, T1). Each is a function of its own, so
// that a mutant replaces exactly one rule. `r` is the greatest error of a clock's rate, and P is
// the threshold. All readings are of the clock of the member that runs the rule.
// Rule numbers such as S3: docs/reference/rules.md.

import { isSameLife, type Life, type Support } from './declaration.ts';
import { precedes } from './rendezvous.ts';

/** Every rule of the election that is a number or a comparison. */
export interface ElectionRules {
  /** S3: the least advance of another member's clock during `elapsedMs` of the own clock. */
  slowed(elapsedMs: number, r: number): number;
  /** S5: the end of the belief that a vote with this bound supports, on the leader's clock. */
  believeUntil(bound: number, thresholdMs: number, r: number): number;
  /** S5: whether a vote of that bound counts. A bound above the own clock is of an earlier life. */
  counts(bound: number, clock: number, horizon: number): boolean;
  /** S5: whether the vote is for this generation of the member. */
  isForLife(support: Support, generation: number): boolean;
  /** S5: whether that number of voters is a majority of the configured ones. */
  isMajority(count: number, voters: number): boolean;
  /** S4: until when a voter supports no other member, if it last published at `publishedAt`. */
  freeAt(publishedAt: number, thresholdMs: number): number;
  /** S4: whether a voter publishes its support while it suspects its favorite. */
  readonly publishesWithdrawn: boolean;
  /** S4: how long a voter that starts declares no favorite. */
  muteMs(thresholdMs: number): number;
  /** S4: whether a favorite without a majority is given up, after it has not led for `ms`. */
  repicks(ms: number, thresholdMs: number): boolean;
  /** S4: whether a voter keeps a favorite that is alive, although another one precedes it. */
  readonly isSticky: boolean;
  /** S4: whether a free voter prefers the first candidate to the second one. */
  precedes(a: string, b: string, partition: number): boolean;
  /** S4: how long a favorite that had a majority and did not lead is skipped. */
  skipMs(thresholdMs: number): number;
  /**
   * S4: whether a skipped favorite counts again, because the one that was picked instead has no
   * majority. `undecided`: how many other living voters support no member. `supporters`: how many
   * support the skipped one.
   */
  forgives(undecided: number, supporters: number, voters: number): boolean;
  /** L9: after how long a candidate asks again for a partition that it failed to lead. */
  asksAfterMs(failures: number, thresholdMs: number): number;
  /** H2: whether a voter is free at once, given its last bound and the declared horizon. */
  freesAtOnce(lastBound: number, horizon: number): boolean;
  /** H2: the horizon of a member that resigns. */
  horizon(clock: number, thresholdMs: number, abstainMs: number): number;
  /** L9: how old a term is at least before it moves to a member with fewer partitions. */
  settleMs(thresholdMs: number): number;
  /** T1: whether a voter accepts a claim, given the greatest that it accepted from others. */
  accepts(claim: bigint, known: bigint): boolean;
  /** T1: whether a vote that accepted `token` elects a candidate whose claim is `claim`. */
  elects(token: bigint, claim: bigint): boolean;
  /** T1: the next token after `previous`. */
  token(previous: bigint, wallMicros: number): bigint;
  /** T1: what a voter regards as accepted if a majority has forgotten what it accepted. */
  assumedKnown(known: bigint, wallMicros: number): bigint;
  /** T1: whether the tokens that living members know count as well then. */
  readonly countsTheLiving: boolean;
  /** T1: whether a voter remembers everything when it starts. */
  readonly startsWithMemory: boolean;
  /** T1: whether that number of other voters shares one with every majority. */
  meetsEveryMajority(count: number, voters: number): boolean;
  /** S7: whether a voter that closes in order accepts and publishes nothing after its last vote. */
  readonly endsWithLastVote: boolean;
  /** S7: whether a last vote with these witnesses names that life. */
  isWitness(witnesses: readonly Life[], life: Life): boolean;
  /** S7: whether a life is the next one, if its witness has already met that one after the last vote. */
  follows(met: number | undefined): boolean;
  /** S7: the greatest number of witnesses: any two groups of enough of them share one. */
  witnessesMax(voters: number): number;
  /** S7: whether that number of witnesses shares one with the voters that any life learns from. */
  areEnoughWitnesses(count: number, voters: number): boolean;
  /** T1: whether a voter may ask for tokens already, given the end of its silence. */
  mayAsk(clock: number, mutedUntil: number): boolean;
}

/** How long a deaf favorite is skipped, in P: long enough to elect another one. */
const skipThresholds = 8;
/** The most times that the time until the next request doubles. */
const doublingsMax = 4;

/** The rules of the protocol. */
export const electionRules: ElectionRules = {
  slowed: (elapsedMs, r) => elapsedMs * (1 - 2 * r),
  believeUntil: (bound, thresholdMs, r) => bound + (thresholdMs * (1 - r)) / (1 + r),
  counts: (bound, clock, horizon) => bound <= clock && bound > horizon,
  isForLife: (support, generation) => support.generation === generation,
  isMajority: (count, voters) => 2 * count > voters,
  freeAt: (publishedAt, thresholdMs) => publishedAt + thresholdMs,
  publishesWithdrawn: false,
  muteMs: (thresholdMs) => thresholdMs,
  repicks: (ms, thresholdMs) => ms >= thresholdMs,
  isSticky: true,
  precedes,
  skipMs: (thresholdMs) => skipThresholds * thresholdMs,
  forgives: (undecided, supporters, voters) => undecided === 0 && 2 * supporters <= voters,
  asksAfterMs: (failures, thresholdMs) =>
    skipThresholds * thresholdMs * 2 ** Math.min(failures - 1, doublingsMax),
  freesAtOnce: (lastBound, horizon) => lastBound <= horizon,
  horizon: (clock, thresholdMs, abstainMs) => clock + Math.max(thresholdMs, abstainMs),
  settleMs: (thresholdMs) => 2 * thresholdMs,
  accepts: (claim, known) => claim > known,
  elects: (token, claim) => token === claim,
  token: (previous, wallMicros) => greatest(previous + 1n, BigInt(Math.trunc(wallMicros))),
  assumedKnown: (known, wallMicros) => greatest(known, BigInt(Math.trunc(wallMicros))),
  countsTheLiving: true,
  startsWithMemory: false,
  meetsEveryMajority: (count, voters) => count + Math.floor(voters / 2) + 1 > voters,
  endsWithLastVote: true,
  isWitness: (witnesses, life) => witnesses.some((one) => isSameLife(one, life)),
  follows: (met) => met === undefined,
  witnessesMax: (voters) => 2 * Math.floor(voters / 2) - 1,
  areEnoughWitnesses: (count, voters) => count > 0 && count >= Math.floor(voters / 2),
  mayAsk: (clock, mutedUntil) => clock >= mutedUntil,
};

/** Returns the greatest of some tokens. */
export function greatest(...tokens: readonly bigint[]): bigint {
  return tokens.reduce((most, token) => (token > most ? token : most), 0n);
}
