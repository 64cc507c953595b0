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
 * Returns the changes of leader in `reigns`. `killed` maps an incarnation to the instant when it
 * was killed.
 */
export function successionsIn(
  reigns: readonly TermRecord[],
  killed: ReadonlyMap<string, bigint>,
): Successions {
  const ordered = reigns
    .filter(({ belief }) => belief)
    .sort((a, b) => Number(beganNs(a) - beganNs(b)));
  const last = new Map<number, TermRecord>();
  const crashMs: number[] = [];
  let changes = 0;
  for (const reign of ordered) {
    const before = last.get(reign.partition);
    last.set(reign.partition, reign);
    if (before === undefined) continue;
    if (before.life !== reign.life) changes += 1;
    const killedAtNs = before.end === undefined ? killed.get(before.life) : undefined;
    if (killedAtNs !== undefined && killedAtNs < endedNs(before))
      crashMs.push(Number(beganNs(reign) - killedAtNs) / 1e6);
  }
  return { changes, crashMs: crashMs.sort((a, b) => a - b) };
}

function beganNs({ belief, notifiedAtNs: toldAtNs }: TermRecord): bigint {
  return belief?.fromNs ?? toldAtNs;
}

function endedNs({ belief, notifiedAtNs: toldAtNs }: TermRecord): bigint {
  return belief?.toNs ?? toldAtNs;
}
