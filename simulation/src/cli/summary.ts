// Adds up the results of all worlds of one run.
import type { Outcome } from '../kernel/protocol.ts';
import type { Settings } from './settings.ts';

/** The summary of a run, which the command prints as JSON on its last line. */
export interface Summary {
  readonly protocol: string;
  readonly seed: number;
  readonly mutant: string | null;
  /** Simulated hours. Fewer than requested if a violation ended the run. */
  readonly hours: number;
  readonly nodes: number;
  readonly partitions: number;
  readonly thresholdMs: number;
  readonly doubleLeaders: number;
  readonly tokenRegressions: number;
  /** Number of violations, including counters above their limits. */
  readonly violations: number;
  /** Number of steps that were checked against the text of the rules, where that is done. */
  readonly checkedSteps?: number;
  readonly leaderlessShare: number;
  readonly needlessMoves: number;
  readonly historyHash: string;
  readonly cpuSeconds: number;
  readonly simulatedPerCpuSecond: number;
  /**
   * Double leaders that a known gap of the guarantee explains, where there is one. They are no
   * violation.
   */
  readonly knownDoubleLeaders?: number;
}

/** Aggregates the outcomes of one run. */
export function summaryOf(
  { protocol, seed, mutant, size }: Settings,
  outcomes: readonly Outcome[],
  cpuSeconds: number,
): Summary {
  const sum = (of: (outcome: Outcome) => number): number =>
    outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const simulatedMs = sum(({ simulatedMs }) => simulatedMs);
  const isChecked = outcomes.some(({ checkedSteps }) => checkedSteps !== undefined);
  const known = outcomes.some(({ knownDoubleLeaders }) => knownDoubleLeaders !== undefined);
  return {
    protocol: protocol.name,
    seed,
    mutant: mutant?.name ?? null,
    hours: rounded(simulatedMs / 3_600_000, 6),
    ...size,
    doubleLeaders: sum(({ doubleLeaders }) => doubleLeaders),
    tokenRegressions: sum(({ tokenRegressions }) => tokenRegressions),
    violations: sum(({ broken }) =>
      Object.values(broken).reduce((total, times) => total + times, 0),
    ),
    ...(isChecked && { checkedSteps: sum(({ checkedSteps = 0 }) => checkedSteps) }),
    leaderlessShare: rounded(
      sum((outcome) => outcome.leaderlessShare * outcome.simulatedMs) / simulatedMs,
      6,
    ),
    needlessMoves: sum(({ needlessMoves }) => needlessMoves),
    historyHash: hashOf(outcomes),
    cpuSeconds: rounded(cpuSeconds, 3),
    simulatedPerCpuSecond: Math.round(simulatedMs / 1000 / cpuSeconds),
    ...(known && { knownDoubleLeaders: sum(({ knownDoubleLeaders = 0 }) => knownDoubleLeaders) }),
  };
}

/** Combines the hashes of the histories into one (FNV-1a, 64 bits). */
function hashOf(outcomes: readonly Outcome[]): string {
  const text = outcomes.map(({ historyHash }) => historyHash).join('');
  const hash = [...text].reduce(
    (folded, letter) => BigInt.asUintN(64, (folded ^ BigInt(letter.charCodeAt(0))) * prime),
    offset,
  );
  return hash.toString(16).padStart(16, '0');
}

const offset = 0xcbf29ce484222325n;
const prime = 0x100000001b3n;

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
