// What a judge has found, of whichever protocol: rules that were broken, and counters that went beyond what is usual.
import type { Real } from './clock.ts';

/** What has been found so far. */
export interface Findings {
  /** How often each rule was seen broken. */
  readonly broken: Map<string, number>;
  /** The first violation, in words. */
  first: string | undefined;
}

/** A rule that was seen broken: when, over which partition, by whom, and how. */
export interface Violation {
  readonly rule: string;
  readonly now: Real;
  readonly partition: number;
  readonly who: string;
  readonly what: string;
}

/** Notes it. */
export function noteViolation(findings: Findings, { rule, now, partition, who, what }: Violation): void {
  findings.broken.set(rule, (findings.broken.get(rule) ?? 0) + 1);
  findings.first ??= `${rule} at ${now.toFixed(3)} ms, partition ${partition}, ${who}: ${what}`;
}

/** The counters that are beyond their limit, where they have one. */
export function beyond<Counter extends string>(
  counters: Readonly<Record<Counter, number>>,
  limits: Readonly<Record<Counter, number | undefined>>,
): Counter[] {
  const names = Object.keys(counters) as Counter[];
  return names.filter((name) => counters[name] > (limits[name] ?? Number.POSITIVE_INFINITY));
}

/** How often something may happen in so many hours, where a rate is given. */
export function timesIn(hours: number, perHour: number | undefined): number | undefined {
  return perHour === undefined ? undefined : Math.ceil(perHour * hours);
}

/** What the findings come to, with the counters that crossed their bounds, each by its own name. */
export function verdictOf(
  { broken, first }: Findings,
  crossed: readonly string[],
  scenario: string,
): { readonly broken: Readonly<Record<string, number>>; readonly first: string | undefined } {
  const counted = Object.fromEntries(crossed.map((counter) => [counter, 1]));
  const words = crossed.length > 0 ? `${crossed.join(', ')} beyond the bound of ${scenario}` : undefined;
  return { broken: { ...Object.fromEntries(broken), ...counted }, first: first ?? words };
}
