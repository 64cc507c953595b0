import { driftRules, type NerioRules, skewRules } from '@leadership/nerio/internal/protocol';
import { beyond, timesIn, verdictOf } from '../kernel/findings.ts';
import { leaderlessShare } from '../kernel/led-time.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { type Course, historyHash, inStretches } from '../kernel/timeline.ts';
import { newWorld, runUntil } from './run.ts';
import type { Scenario } from './scenario.ts';
import type { HostRules, World } from './world.ts';

/** Rules that replace those of the protocol. */
export interface Departure {
  readonly nerio?: Partial<NerioRules>;
  readonly host?: Partial<HostRules>;
}

/** The rules outside the state machine, as PROTOCOLS states them. */
const hostRules: HostRules = {
  believes: (belief, now) => belief.ended === 'no' && now < belief.until,
  maySend: (now, until) => now < until,
  proves: (tenure, token) => tenure.kind !== 'follower' && tenure.token === token,
  keptVow: (vow) => vow,
};

/** Runs a world for the length of `course`, as long as its `goesOn` returns true. */
export function simulateWhile(
  scenario: Scenario,
  seed: number,
  course: Course<Outcome>,
  departure: Departure = {},
): Outcome {
  const world = worldWith(scenario, seed, departure);
  return inStretches(course, (until) => {
    runUntil(world, until);
    return outcomeOf(world, seed);
  });
}

/** Returns a world before its first event, with the departure applied to its rules. */
export function worldWith(scenario: Scenario, seed: number, departure: Departure = {}): World {
  return newWorld(scenario, rulesWith(scenario, departure), seed);
}

/**
 * Returns the minimum run length in milliseconds before counters are judged, so that rates and
 * shares are meaningful.
 */
export function stretchMsOf({ leaseMs }: Scenario): number {
  return leasesPerStretch * leaseMs;
}

const leasesPerStretch = 1800;

/**
 * Returns the rules with the departure applied. Worlds without one share the protocol's own rules
 * object, because an object spread per world is slow to read.
 */
function rulesWith({ clocks }: Scenario, { nerio, host }: Departure): World['rules'] {
  const usual = clocks === 'drift' ? driftRules : skewRules;
  const departed = nerio ? { ...usual, ...nerio } : usual;
  return { nerio: () => departed, host: host ? { ...hostRules, ...host } : hostRules };
}

function outcomeOf(world: World, seed: number): Outcome {
  const { judge, scenario, now, happenings } = world;
  const { doubleLeaders, tokenRegressions, needlessMoves, renewalGaps } = judge;
  const counters = {
    leaderlessShare: leaderlessShare(judge.reigns, now),
    needlessMoves,
    renewalGaps,
  };
  const verdict = verdictOf(judge, crossedBounds(world, counters), scenario.name);
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

function crossedBounds({ scenario, now, judge }: World, counters: Counters): string[] {
  if (now < stretchMsOf(scenario)) return [];
  const { bounds, partitions, leaseMs } = scenario;
  // Rare events are counted per hour, for leases of one second.
  const hours = (now / (3_600 * leaseMs)) * partitions;
  const slowHandoverShare = judge.handovers === 0 ? 0 : judge.slowHandovers / judge.handovers;
  const shown = {
    ...counters,
    slowHandoverShare,
    vainShare: judge.vainMs / now,
    ...sharing(judge),
  };
  return beyond(shown, {
    leaderlessShare: bounds.leaderlessShare,
    slowHandoverShare: bounds.slowHandoverShare,
    vainShare: bounds.vainShare,
    unevenShare: bounds.unevenShare,
    sharingMoves: timesIn(hours, bounds.sharingMovesPerHour),
    needlessMoves: timesIn(hours, bounds.needlessMovesPerHour),
    renewalGaps: timesIn(hours, bounds.renewalGapsPerHour),
  });
}

function sharing({ sharingMoves, looks, unevenLooks }: World['judge']): {
  readonly sharingMoves: number;
  readonly unevenShare: number;
} {
  return { sharingMoves, unevenShare: looks === 0 ? 0 : unevenLooks / looks };
}
