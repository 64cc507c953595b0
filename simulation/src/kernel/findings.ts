// The findings of the judge of a world, for any protocol: broken rules, and counters above their
// limits.
import type { Real } from './clock.ts';

/** The findings so far. */
export interface Findings {
  /** Number of violations per rule. */
  readonly broken: Map<string, number>;
  /** Number of faults that members had, per kind. */
  readonly faults: Map<string, number>;
  /** The first violation, as text. */
  first: string | undefined;
}

/** A violation of a rule: the time, the partition, the process and what it did. */
export interface Violation {
  readonly rule: string;
  readonly now: Real;
  readonly partition: number;
  readonly who: string;
  readonly what: string;
}

/** Records a violation. */
export function noteViolation(
  findings: Findings,
  { rule, now, partition, who, what }: Violation,
): void {
  findings.broken.set(rule, (findings.broken.get(rule) ?? 0) + 1);
  findings.first ??= `${rule} at ${now.toFixed(3)} ms, partition ${partition}, ${who}: ${what}`;
}

/**
 * Returns the verdict: the violations per rule, and each counter in `crossed` under its own name.
 */
export function verdictOf(
  { broken, first }: Findings,
  crossed: readonly string[],
  scenario: string,
): { readonly broken: Readonly<Record<string, number>>; readonly first: string | undefined } {
  const counted = Object.fromEntries(crossed.map((counter) => [counter, 1]));
  const words =
    crossed.length > 0 ? `${crossed.join(', ')} beyond the bound of ${scenario}` : undefined;
  return { broken: { ...Object.fromEntries(broken), ...counted }, first: first ?? words };
}
