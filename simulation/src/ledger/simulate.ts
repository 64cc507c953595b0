import { type LedgerRules, ledgerRules } from '@leadership/core/internal/ledger';
import { beyond, timesIn, verdictOf } from '../kernel/findings.ts';
import { leaderlessShare } from '../kernel/led-time.ts';
import type { Outcome, Watch } from '../kernel/outcome.ts';
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
