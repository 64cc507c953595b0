import { setTimeout as pause } from 'node:timers/promises';
import { msBetween } from '../measure/ms-between.ts';
import type { Member } from './member.ts';

/** A partition that a member leads from now on, or does no more. */
interface Change {
  readonly kind: 'leading' | 'fenced' | 'waiting';
  readonly partition: number;
  readonly atNs: string;
}

/** Who leads what, by what the members say. */
export interface Seats {
  /** Listens to one more member. */
  attend(member: Member): void;
  /**
   * Resolves once every partition is led, and they are spread as evenly as can be over so many members, and nothing has changed for
   * `quietMs`. Rejects where that does not come.
   */
  settled(members: number, quietMs: number): Promise<void>;
  /** What has changed since this was called last, in the order of time. */
  takeChanges(): readonly Change[];
}

/** How often is looked. Milliseconds. */
const periodMs = 50;
/** What is not settled by then will not be. Milliseconds. */
const patienceMs = 60_000;

/** Nobody leads anything yet. */
export function seatsOf(partitions: number): Seats {
  const holders = new Map<number, Member>();
  let changes: Change[] = [];
  let changedAt = performance.now();
  const note = (member: Member, change: Change): void => {
    if (change.kind === 'leading') holders.set(change.partition, member);
    else if (holders.get(change.partition) === member) holders.delete(change.partition);
    else return;
    changes.push(change);
    changedAt = performance.now();
  };
  return {
    attend(member) {
      member.hear((told) => {
        if (told.kind === 'leading' || told.kind === 'fenced' || told.kind === 'waiting') note(member, told);
      });
    },
    async settled(members, quietMs) {
      const until = performance.now() + patienceMs;
      const isSettled = (): boolean => performance.now() - changedAt >= quietMs && isSpread([...holders.values()], partitions, members);
      while (!isSettled()) {
        if (performance.now() > until) throw new Error(`${partitions} partitions never settled on ${members} members`);
        await pause(periodMs);
      }
    },
    takeChanges() {
      const taken = changes.sort((a, b) => Number(BigInt(a.atNs) - BigInt(b.atNs)));
      changes = [];
      return taken;
    },
  };
}

function isSpread(holders: readonly Member[], partitions: number, members: number): boolean {
  const counts = [...new Set(holders)].map((member) => holders.filter((holder) => holder === member).length);
  const least = Math.floor(partitions / members);
  return (
    holders.length === partitions &&
    counts.length === Math.min(members, partitions) &&
    counts.every((count) => count >= least && count <= Math.ceil(partitions / members))
  );
}

/** How long each partition that moved had no leader. Milliseconds. */
export function leaderlessMs(changes: readonly Change[]): readonly number[] {
  const since = new Map<number, string>();
  const gaps: number[] = [];
  for (const { kind, partition, atNs } of changes) {
    const endedNs = since.get(partition);
    if (kind !== 'leading') since.set(partition, atNs);
    else if (endedNs !== undefined) gaps.push(msBetween(endedNs, atNs));
  }
  return gaps;
}
