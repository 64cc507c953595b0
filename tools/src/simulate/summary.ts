import type { Outcome } from '@leadership/testkit/simulation';
import type { Settings } from './settings.ts';

/** What a run came to: the last line of the command, as JSON. */
export interface Summary {
  readonly protocol: string;
  readonly seed: number;
  readonly mutant: string | null;
  /** Simulated hours that were lived: fewer than asked for where a violation ended the run. */
  readonly hours: number;
  readonly nodes: number;
  readonly partitions: number;
  readonly thresholdMs: number;
  readonly doubleLeaders: number;
  readonly tokenRegressions: number;
  /** Everything that was seen broken, counters beyond their bounds included. */
  readonly violations: number;
  readonly leaderlessShare: number;
  readonly needlessMoves: number;
  readonly historyHash: string;
  readonly cpuSeconds: number;
  readonly simulatedPerCpuSecond: number;
  /** Only where a promise has a hole that is known: how often it showed. No violation. */
  readonly knownDoubleLeaders?: number;
}

/** Adds up the worlds of one run. */
export function summaryOf({ protocol, seed, mutant, size }: Settings, outcomes: readonly Outcome[], cpuSeconds: number): Summary {
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const simulatedMs = sum(({ simulatedMs }) => simulatedMs);
  const known = outcomes.some(({ knownDoubleLeaders }) => knownDoubleLeaders !== undefined);
  return {
    protocol: protocol.name,
    seed,
    mutant: mutant?.name ?? null,
    hours: rounded(simulatedMs / 3_600_000, 6),
    ...size,
    doubleLeaders: sum(({ doubleLeaders }) => doubleLeaders),
    tokenRegressions: sum(({ tokenRegressions }) => tokenRegressions),
    violations: sum(({ broken }) => Object.values(broken).reduce((total, times) => total + times, 0)),
    leaderlessShare: rounded(sum((outcome) => outcome.leaderlessShare * outcome.simulatedMs) / simulatedMs, 6),
    needlessMoves: sum(({ needlessMoves }) => needlessMoves),
    historyHash: hashOf(outcomes),
    cpuSeconds: rounded(cpuSeconds, 3),
    simulatedPerCpuSecond: Math.round(simulatedMs / 1000 / cpuSeconds),
    ...(known && { knownDoubleLeaders: sum(({ knownDoubleLeaders = 0 }) => knownDoubleLeaders) }),
  };
}

/** The histories' hashes, folded into one (FNV-1a, 64 bits). */
function hashOf(outcomes: readonly Outcome[]): string {
  const text = outcomes.map(({ historyHash }) => historyHash).join('');
  const hash = [...text].reduce((folded, letter) => BigInt.asUintN(64, (folded ^ BigInt(letter.charCodeAt(0))) * prime), offset);
  return hash.toString(16).padStart(16, '0');
}

const offset = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
