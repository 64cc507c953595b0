import { type LedgerRules, ledgerRules } from '@leadership/core/engine';
import { beyond, timesIn, verdictOf } from './findings.ts';
import { type HostRules, hostRules } from './host-rules.ts';
import { leaderlessShare } from './led-time.ts';
import { newWorld, runUntil } from './run.ts';
import type { Scenario } from './scenario.ts';
import { historyHash, inStretches } from './timeline.ts';
import type { World } from './world.ts';

/** Rules in place of the protocol's. */
export interface Departure {
  readonly ledger?: Partial<LedgerRules>;
  readonly host?: Partial<HostRules>;
  /** The nodes whose engine departs; all where not given. */
  readonly onlyNode?: number;
}

/** What a simulated stretch of time came to. */
export interface Outcome {
  readonly scenario: string;
  readonly seed: number;
  readonly simulatedMs: number;
  readonly happenings: number;
  readonly historyHash: string;
  readonly doubleLeaders: number;
  /** Two that led where the assumption was broken that the promise rests on: counted, and no violation. */
  readonly knownDoubleLeaders?: number;
  readonly tokenRegressions: number;
  /** How often each rule was seen broken; a counter that crossed its bound goes by its own name. */
  readonly broken: Readonly<Record<string, number>>;
  /** The first violation, in words. */
  readonly first: string | undefined;
  readonly leaderlessShare: number;
  readonly needlessMoves: number;
  readonly renewalGaps: number;
}

/** Lets a world run for `ms` simulated milliseconds. What `seed` decides, it decides bit for bit. */
export function simulate(scenario: Scenario, seed: number, ms: number, departure: Departure = {}): Outcome {
  return simulateWhile(scenario, seed, ms, departure, { goesOn: () => true });
}

/** Decides while a world runs whether it goes on. */
export interface Watch<Result> {
  /** Returns whether the world goes on after what it came to so far. */
  readonly goesOn: (soFar: Result) => boolean;
  /** How often `goesOn` is asked. Simulated milliseconds. Default: as often as counters are judged. */
  readonly everyMs?: number;
}

/** How often a hunt looks whether its mutant was caught. Simulated milliseconds. */
export const huntEveryMs = 60_000;

/** Runs a world for `ms` at most, for as long as `watch` says. */
export function simulateWhile(scenario: Scenario, seed: number, ms: number, departure: Departure, watch: Watch<Outcome>): Outcome {
  const world = newWorld(scenario, rulesWith(departure), seed);
  const { goesOn, everyMs = stretchMs } = watch;
  return inStretches({ ms, stretchMs: everyMs, goesOn }, (until) => {
    runUntil(world, until);
    return outcomeOf(world, seed);
  });
}

/** Long enough for a rate or a share of time to mean something: counters are judged no sooner. Milliseconds. */
const stretchMs = 1_800_000;

/** Worlds that keep to the protocol share its very rules: an object that is spread anew for each of them is slow to read. */
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
  const counters = { leaderlessShare: leaderlessShare(judge.reigns, now), needlessMoves, renewalGaps };
  const verdict = verdictOf(judge, crossedBounds(scenario, now, counters), scenario.name);
  const history = { scenario: scenario.name, seed, simulatedMs: now, happenings, historyHash: historyHash(world) };
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
