// Puts the edicts of leaders in order (N8): an edict is a command of a leader, and carries the
// clocks of a quorum that granted to it. Two quorums share a granter, and the granter's clock
// orders its own grants. So every receiver can put any two edicts in the order of their creation.
import { isBefore, type Sample } from './sample.ts';

/**
 * A granter's clock at a grant. `life` grows with every restart, because a restarted clock orders
 * nothing across the restart.
 */
export interface GranterSample extends Sample {
  /** Grows with every restart of the granter. */
  readonly life: number;
}

/** By index: the clocks of a quorum at its grants. Other members have no entry. */
export type QuorumTimestamp = readonly (GranterSample | undefined)[];

/**
 * The creation time of an edict, as receivers compare it: first the epoch, then the quorum's
 * clocks, then the counter.
 */
export interface EdictStamp {
  /** The partition that the leader leads. Only edicts of one partition compare. */
  readonly partition: number;
  /** The number of the epoch. */
  readonly epoch: number;
  /** The clocks of the quorum that granted to the leader. */
  readonly quorum: QuorumTimestamp;
  /** Orders the edicts that a leader created with the same clocks of its quorum. */
  readonly counter: number;
}

/** Whether a granter's sample precedes another sample of the same granter. */
export function precedesAtGranter(a: GranterSample, b: GranterSample): boolean {
  return a.life < b.life || (a.life === b.life && isBefore(a, b));
}

/** Compares two edicts of one partition by the order of their creation. */
export function compareEdicts(
  a: EdictStamp,
  b: EdictStamp,
  precedes: typeof precedesAtGranter = precedesAtGranter,
): 'before' | 'after' | 'same' | 'clock-assumption-violated' {
  if (a.epoch !== b.epoch) return a.epoch < b.epoch ? 'before' : 'after';
  const isEarlier = derives(a.quorum, b.quorum, precedes);
  const isLater = derives(b.quorum, a.quorum, precedes);
  if (isEarlier && isLater) return 'clock-assumption-violated';
  if (isEarlier) return 'before';
  if (isLater) return 'after';
  if (a.counter === b.counter) return 'same';
  return a.counter < b.counter ? 'before' : 'after';
}

function derives(
  a: QuorumTimestamp,
  b: QuorumTimestamp,
  precedes: typeof precedesAtGranter,
): boolean {
  return a.some((sample, index) => {
    const other = b[index];
    return sample !== undefined && other !== undefined && precedes(sample, other);
  });
}
