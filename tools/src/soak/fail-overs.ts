// The changes of leader in the report of a soak test.
import type { TermRecord } from '@leadership/testkit/faults';

/** The changes of leader during a soak. */
export interface Successions {
  /** The number of changes from one incarnation to another. */
  readonly changes: number;
  /**
   * For each term that a SIGKILL ended: milliseconds from the kill to the next leader, in ascending
   * order.
   */
  readonly crashMs: readonly number[];
}

/**
 * Returns the changes of leader in `terms`. `killed` maps an incarnation to the instant when it
 * was killed.
 */
export function successionsIn(
  terms: readonly TermRecord[],
  killed: ReadonlyMap<string, bigint>,
): Successions {
  const ordered = terms
    .filter(({ belief }) => belief)
    .sort((a, b) => Number(beganNs(a) - beganNs(b)));
  const last = new Map<number, TermRecord>();
  const crashMs: number[] = [];
  let changes = 0;
  for (const term of ordered) {
    const before = last.get(term.partition);
    last.set(term.partition, term);
    if (before === undefined) continue;
    if (before.life !== term.life) changes += 1;
    const killedAtNs = before.end === undefined ? killed.get(before.life) : undefined;
    if (killedAtNs !== undefined && killedAtNs < endedNs(before))
      crashMs.push(Number(beganNs(term) - killedAtNs) / 1e6);
  }
  return { changes, crashMs: crashMs.sort((a, b) => a - b) };
}

function beganNs({ belief, notifiedAtNs: reportedAtNs }: TermRecord): bigint {
  return belief?.fromNs ?? reportedAtNs;
}

function endedNs({ belief, notifiedAtNs: reportedAtNs }: TermRecord): bigint {
  return belief?.toNs ?? reportedAtNs;
}
