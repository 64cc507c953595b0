// Finds out for the demo whether two members ever worked at once. Each line of a command states
// that it worked in its term at one instant. A period spans the first to the last such instant of a
// term, so it is never longer than the work was. Two periods that overlap therefore prove two
// leaders at once.

import type { MemberEvent } from './members.ts';

/** The period of a term in which its command worked for certain. */
export interface Period {
  readonly member: string;
  readonly token: bigint;
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/** Collects the lines of the commands, and folds them into periods. */
export class WorkRecord {
  readonly #periods = new Map<string, Period>();
  readonly #tokens = new Set<bigint>();
  #count = 0;

  /** The number of lines so far. */
  get count(): number {
    return this.#count;
  }

  /** The periods, oldest first. */
  get periods(): readonly Period[] {
    return [...this.#periods.values()].sort((a, b) => Number(a.fromNs - b.fromNs));
  }

  /** The number of terms so far, also of those that were too short for a line. */
  get terms(): number {
    return this.#tokens.size;
  }

  note({ member, event }: MemberEvent): void {
    if (event.kind !== 'leads' && event.kind !== 'worked') return;
    const { token, atNs } = event;
    this.#tokens.add(token);
    if (event.kind === 'leads') return;
    this.#count += 1;
    const key = `${member} ${token}`;
    const known = this.#periods.get(key);
    this.#periods.set(key, { member, token, fromNs: known?.fromNs ?? atNs, toNs: atNs });
  }
}

/**
 * Returns one sentence for each pair of periods that overlap, and for each later one whose token is
 * not greater (T1).
 */
export function violations(periods: readonly Period[]): readonly string[] {
  return periods.flatMap((later, index) =>
    periods.slice(0, index).flatMap((earlier) => violation(earlier, later)),
  );
}

function violation(earlier: Period, later: Period): readonly string[] {
  const overlapNs = earlier.toNs - later.fromNs;
  const pair = `${earlier.member} in term ${earlier.token} and ${later.member} in term ${later.token}`;
  return [
    ...(overlapNs >= 0n
      ? [`${pair} led at the same time, for at least ${(Number(overlapNs) / 1e6).toFixed(1)} ms`]
      : []),
    ...(later.token <= earlier.token ? [`${pair}: the later token is not greater`] : []),
  ];
}
