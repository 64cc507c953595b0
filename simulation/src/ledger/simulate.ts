import { type LedgerRules, ledgerRules } from '@leadership/core/internal/ledger';
import { beyond, timesIn, verdictOf } from '../kernel/findings.ts';
import { leaderlessShare } from '../kernel/led-time.ts';
import { historyHash, inStretches } from '../kernel/timeline.ts';
import { type HostRules, hostRules } from './host-rules.ts';
import { newWorld, runUntil } from './run.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** Rules that replace those of the protocol. */
export interface Departure {
  readonly ledger?: Partial<LedgerRules>;
  readonly host?: Partial<HostRules>;
  /** The node whose state machine uses the replaced `ledger` rules. Default: all nodes. */
  readonly onlyNode?: number;
}

/** The result of a simulated run. */
export interface Outcome {
  readonly scenario: string;
  readonly seed: number;
  readonly simulatedMs: number;
  readonly happenings: number;
  readonly historyHash: string;
  readonly doubleLeaders: number;
  /**
   * Double leaders in a situation where an assumption of the guarantee did not hold. They are
   * counted, but are no violation.
   */
  readonly knownDoubleLeaders?: number;
  readonly tokenRegressions: number;
  /** Number of violations per rule. A counter above its limit is listed under its own name. */
  readonly broken: Readonly<Record<string, number>>;
  /** The first violation, as text. */
  readonly first: string | undefined;
  readonly leaderlessShare: number;
  readonly needlessMoves: number;
  readonly renewalGaps: number;
}

/**
 * Runs a world for `ms` simulated milliseconds. The same seed gives the same history, bit for bit.
 */
export function simulate(
  scenario: Scenario,
  seed: number,
  ms: number,
  departure: Departure = {},
): Outcome {
  return simulateWhile(scenario, seed, ms, departure, { goesOn: () => true });
}

/** Decides whether a running world continues. */
export interface Watch<Result> {
  /** Returns whether the world continues, given its outcome so far. */
  readonly goesOn: (soFar: Result) => boolean;
  /**
   * Interval between calls of `goesOn`, in simulated milliseconds. Default: 30 minutes, as for the
   * counters.
   */
  readonly everyMs?: number;
}

/** Interval at which a hunt checks whether its mutant was caught, in simulated milliseconds. */
export const huntEveryMs = 60_000;

/** Runs a world for at most `ms` simulated milliseconds, as long as `watch` returns true. */
export function simulateWhile(
  scenario: Scenario,
  seed: number,
  ms: number,
  departure: Departure,
  watch: Watch<Outcome>,
): Outcome {
  const world = newWorld(scenario, rulesWith(departure), seed);
  const { goesOn, everyMs = stretchMs } = watch;
  return inStretches({ ms, stretchMs: everyMs, goesOn }, (until) => {
    runUntil(world, until);
    return outcomeOf(world, seed);
  });
}

/**
 * Minimum run length in milliseconds before counters are judged, so that rates and shares are
 * meaningful.
 */
const stretchMs = 1_800_000;

/**
 * Returns the rules with the departure applied. Worlds without one share the protocol's own rules
 * object, because an object spread per world is slow to read.
 */
function rulesWith({ ledger, host, onlyNode }: Departure): World['rules'] {
  const departed = ledger ? { ...ledgerRules, ...ledger } : ledgerRules;
  return {
    ledger: (node) => (onlyNode === undefined || node === onlyNode ? departed : ledgerRules),
    host: host ? { ...hostRules, ...host } : hostRules,
  };
}

function outcomeOf(world: World, seed: number): Outcome {
  const { judge, scenario, now, happenings } = world;
  const { doubleLeaders, tokenRegressions, needlessMoves, renewalGaps } = judge;
  const counters = {
    leaderlessShare: leaderlessShare(judge.reigns, now),
    needlessMoves,
    renewalGaps,
  };
  const verdict = verdictOf(judge, crossedBounds(scenario, now, counters), scenario.name);
  const history = {
    scenario: scenario.name,
    seed,
    simulatedMs: now,
    happenings,
    historyHash: historyHash(world),
  };
  return { ...history, doubleLeaders, tokenRegressions, ...verdict, ...counters };
}

type Counters = Pick<Outcome, 'leaderlessShare' | 'needlessMoves' | 'renewalGaps'>;

function crossedBounds({ bounds, partitions }: Scenario, ms: number, counters: Counters): string[] {
  if (ms < stretchMs) return [];
  const hours = (ms / 3_600_000) * partitions;
  return beyond(counters, {
    leaderlessShare: bounds.leaderlessShare,
    needlessMoves: timesIn(hours, bounds.needlessMovesPerHour),
    renewalGaps: timesIn(hours, bounds.renewalGapsPerHour),
  });
}
