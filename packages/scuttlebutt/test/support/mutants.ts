// Wrong variants of single rules, and the world in which each of them fails. The same worlds with
// the right rules must not fail.
import type { ScuttlebuttRules } from '../../src/protocol.ts';
import { allFaults, type Faults } from './faults.ts';
import type { WorldOptions } from './world.ts';

/** A rule replaced by a wrong one. */
export interface Mutant {
  readonly name: string;
  readonly rule: string;
  /** Description of the defect, without its subject. */
  readonly does: string;
  readonly rules: Partial<ScuttlebuttRules>;
  readonly world: Omit<WorldOptions, 'seed'>;
  readonly faults?: Partial<Faults>;
  /** The hours of a world within which the mutant must fail. */
  readonly hours: number;
  /** The violation that shows it: `lead` for two leaders, `token` for one that does not grow. */
  readonly shows: 'lead' | 'token';
}

const five = { nodes: 5, voters: 5, loss: 0.1, duplicates: 0.05, delayMs: [1, 200] } as const;
const three = { ...five, nodes: 3, voters: 3 } as const;
/** Candidates without a vote restart and pause more often than voters. */
const apart = { ...five, nodes: 6, voters: 3 } as const;
/** Clocks whose errors show within a lease. The proof holds for every r. */
const drifting = { driftRate: 0.25 } as const;
/** Wall clocks that differ by more than a term: only what voters remember keeps tokens growing. */
const skewed = { ...three, wallSkewMs: 3_600_000 } as const;

/** Never a majority of the voters without memory: else only wall clocks keep tokens growing. */
const remembered = { losesMemory: false, kills: 6 } as const;

export const mutants: readonly Mutant[] = [
  {
    name: 'inequality-as-printed',
    rule: 'S5',
    does: 'multiplies the difference by 1 + r only, as the published algorithm does',
    rules: { believeUntil: (bound, thresholdMs, r) => bound + thresholdMs / (1 + r) },
    world: { ...three, ...drifting, delayMs: [1, 20] },
    hours: 8,
    shows: 'lead',
  },
  {
    name: 'bound-at-full-speed',
    rule: 'S3',
    does: 'advances its estimate of another clock as fast as its own clock',
    rules: { slowed: (elapsedMs) => elapsedMs },
    world: { ...apart, ...drifting, intervalMs: 4000, electionMs: 3000, loss: 0.3 },
    hours: 8,
    shows: 'lead',
  },
  {
    name: 'votes-of-an-earlier-life',
    rule: 'S5',
    does: 'counts votes for an earlier generation, whatever the bound, as published',
    // The claim would stop it too: published votes have none.
    rules: {
      isForLife: () => true,
      counts: (bound, _clock, horizon) => bound > horizon,
      elects: () => true,
    },
    world: apart,
    faults: { kills: 8, awayThresholds: 0.2 },
    hours: 8,
    shows: 'lead',
  },
  {
    name: 'votes-after-a-restart',
    rule: 'S4',
    does: 'lets a voter that restarted vote at once',
    rules: { muteMs: () => 0 },
    world: five,
    faults: { kills: 12, cuts: 24, awayThresholds: 1 },
    hours: 8,
    shows: 'lead',
  },
  {
    name: 'bound-goes-on',
    rule: 'S4',
    does: 'publishes a growing bound while it suspects its favorite',
    rules: { publishesStopped: true },
    world: five,
    hours: 4,
    shows: 'lead',
  },
  {
    name: 'free-at-suspicion',
    rule: 'S4',
    does: 'supports another member as soon as it suspects its favorite',
    rules: { freeAt: (publishedAt) => publishedAt },
    world: five,
    hours: 2,
    shows: 'lead',
  },
  {
    name: 'free-after-any-resignation',
    rule: 'H2',
    does: 'supports another member at once although its last bound is above the horizon',
    rules: { freesAtOnce: () => true },
    world: { ...five, drainMs: [0, 20] },
    faults: { resigns: 20 },
    hours: 4,
    shows: 'lead',
  },
  {
    name: 'horizon-forgotten',
    rule: 'H2',
    does: 'counts votes with bounds up to its horizon',
    rules: { counts: (bound, clock) => bound <= clock },
    world: { ...five, partitions: 3, drainMs: [0, 20] },
    faults: { resigns: 20 },
    hours: 8,
    shows: 'lead',
  },
  {
    name: 'half-is-a-majority',
    rule: 'S5',
    does: 'leads with half of the voters',
    rules: { isMajority: (count, voters) => 2 * count >= voters },
    world: { ...five, nodes: 4, voters: 4 },
    hours: 4,
    shows: 'lead',
  },
  {
    name: 'accepts-any-claim',
    rule: 'T1',
    does: 'accepts a claim that does not exceed what it accepted from others',
    rules: { accepts: () => true },
    world: skewed,
    faults: remembered,
    hours: 2,
    shows: 'token',
  },
  {
    name: 'claim-not-accepted',
    rule: 'T1',
    does: 'begins a term with votes that did not accept its claim',
    rules: { elects: () => true },
    world: skewed,
    faults: remembered,
    hours: 2,
    shows: 'token',
  },
  {
    name: 'starts-with-memory',
    rule: 'T1',
    does: 'votes after a restart without asking for the greatest token',
    rules: { startsWithMemory: true },
    world: skewed,
    faults: remembered,
    hours: 8,
    shows: 'token',
  },
  {
    name: 'learns-from-anyone',
    rule: 'T1',
    does: 'votes again once one voter has answered',
    rules: { meetsEveryMajority: (count) => count > 0 },
    world: { ...skewed, nodes: 5, voters: 5 },
    faults: remembered,
    hours: 16,
    shows: 'token',
  },
];

/** The faults of the world of a mutant. */
export function faultsOf({ faults }: Mutant): Faults {
  return { ...allFaults, ...faults };
}
