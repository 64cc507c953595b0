import type { Reign } from '@leadership/testkit/faults';

/** What changes of leadership there were. */
export interface Successions {
  /** From one life to another. */
  readonly changes: number;
  /** For each term that a SIGKILL ended: from the kill to the next leader. Ascending, in milliseconds. */
  readonly crashMs: readonly number[];
}

/** Looks at who followed whom. `killed` is life → when. */
export function successionsIn(reigns: readonly Reign[], killed: ReadonlyMap<string, bigint>): Successions {
  const ordered = reigns.filter(({ belief }) => belief).sort((a, b) => Number(beganNs(a) - beganNs(b)));
  const last = new Map<number, Reign>();
  const crashMs: number[] = [];
  let changes = 0;
  for (const reign of ordered) {
    const before = last.get(reign.partition);
    last.set(reign.partition, reign);
    if (before === undefined) continue;
    if (before.life !== reign.life) changes += 1;
    const killedAtNs = before.end === undefined ? killed.get(before.life) : undefined;
    if (killedAtNs !== undefined && killedAtNs < endedNs(before)) crashMs.push(Number(beganNs(reign) - killedAtNs) / 1e6);
  }
  return { changes, crashMs: crashMs.sort((a, b) => a - b) };
}

function beganNs({ belief, toldAtNs }: Reign): bigint {
  return belief?.fromNs ?? toldAtNs;
}

function endedNs({ belief, toldAtNs }: Reign): bigint {
  return belief?.toNs ?? toldAtNs;
}
