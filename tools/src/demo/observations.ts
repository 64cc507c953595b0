// Each observation states whether its member led at one instant. A term record spans the first to
// the last such instant of a term, so it is never longer than the real term. Two overlapping
// records therefore prove two leaders at once.
import type { Observation } from './member-message.ts';

/** The observed part of a term: from the first to the last observation in which its leader led. */
export interface TermRecord {
  readonly member: string;
  readonly token: bigint;
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/** Collects observations and folds them into term records. */
export class Observations {
  readonly #terms = new Map<string, TermRecord>();
  #count = 0;

  /** The number of observations so far. */
  get count(): number {
    return this.#count;
  }

  /** The term records, oldest first. */
  get terms(): readonly TermRecord[] {
    return [...this.#terms.values()].sort((a, b) => Number(a.fromNs - b.fromNs));
  }

  add(member: string, { token, atNs }: Observation): void {
    this.#count += 1;
    if (token === undefined) return;
    const key = `${member} ${token}`;
    const known = this.#terms.get(key);
    this.#terms.set(key, { member, token, fromNs: known?.fromNs ?? atNs, toNs: atNs });
  }
}

/**
 * Returns one sentence for each pair of terms that overlap, and for each later term whose token did
 * not increase (T1).
 */
export function violations(terms: readonly TermRecord[]): readonly string[] {
  return terms.flatMap((later, index) =>
    terms.slice(0, index).flatMap((earlier) => violation(earlier, later)),
  );
}

function violation(earlier: TermRecord, later: TermRecord): readonly string[] {
  const overlapNs = earlier.toNs - later.fromNs;
  const pair = `${earlier.member} in term ${earlier.token} and ${later.member} in term ${later.token}`;
  return [
    ...(overlapNs >= 0n
      ? [`${pair} led at the same time, for at least ${(Number(overlapNs) / 1e6).toFixed(1)} ms`]
      : []),
    ...(later.token <= earlier.token ? [`${pair}: the later token is not greater`] : []),
  ];
}
