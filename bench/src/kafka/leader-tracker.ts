import { setTimeout as pause } from 'node:timers/promises';
import { msBetween } from '../measure/ms-between.ts';
import type { Member } from './member.ts';

/** The start (`leading`) or the end of a term. */
interface Change {
  readonly kind: 'leading' | 'fenced' | 'waiting';
  readonly partition: number;
  readonly atNs: string;
}

/** Tracks the leader of each partition, as the members report it. */
export interface LeaderTracker {
  /** Adds a member to track. */
  track(member: Member): void;
  /**
   * Resolves once every partition has a leader, the partitions are spread evenly over `members`
   * members, and nothing has changed for `quietMs`. Rejects if that takes longer than a minute.
   */
  settled(members: number, quietMs: number): Promise<void>;
  /** Returns the changes since the previous call, in chronological order. */
  takeChanges(): readonly Change[];
}

/** The polling interval, in milliseconds. */
const periodMs = 50;
/** The timeout of `settled`, in milliseconds. */
const timeoutMs = 60_000;

/** Returns a tracker without members. */
export function trackLeaders(partitions: number): LeaderTracker {
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
    track(member) {
      member.listen((message) => {
        if (message.kind === 'leading' || message.kind === 'fenced' || message.kind === 'waiting')
          note(member, message);
      });
    },
    async settled(members, quietMs) {
      const until = performance.now() + timeoutMs;
      const isSettled = (): boolean =>
        performance.now() - changedAt >= quietMs &&
        isSpread([...holders.values()], partitions, members);
      while (!isSettled()) {
        if (performance.now() > until)
          throw new Error(
            `${members} members did not spread ${partitions} partitions evenly within ${timeoutMs} ms`,
          );
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
  const counts = [...new Set(holders)].map(
    (member) => holders.filter((holder) => holder === member).length,
  );
  const least = Math.floor(partitions / members);
  return (
    holders.length === partitions &&
    counts.length === Math.min(members, partitions) &&
    counts.every((count) => count >= least && count <= Math.ceil(partitions / members))
  );
}

/** Returns how long each partition that moved had no leader, in milliseconds. */
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
