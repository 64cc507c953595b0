// Edicts (N8): what a leader creates carries the clocks of a quorum that granted to it. Two quorums share a granter, and one
// clock orders its own grants: so any two edicts can be put in the order of their creation, whoever receives them, in whatever order.
import { isBefore, type Sample } from './sample.ts';

/** A granter's clock at a grant. `life` grows with every restart, for a clock that starts anew orders nothing across it. */
export interface GranterSample extends Sample {
  readonly life: number;
}

/** By the members' index: the clocks of a quorum at its grants. Those that did not grant are left out. */
export type QuorumTimestamp = readonly (GranterSample | undefined)[];

/** When an edict was created, as far as its receivers have to know. Epoch first, then the quorum's clocks, then the counter. */
export interface EdictStamp {
  readonly partition: number;
  readonly epoch: number;
  readonly quorum: QuorumTimestamp;
  readonly counter: number;
}

/** How one edict stands to another. */
export type EdictOrder = 'before' | 'after' | 'same' | 'clock-assumption-violated';

/** Whether one granter's sample precedes another of the same granter. */
export function precedesAtGranter(a: GranterSample, b: GranterSample): boolean {
  return a.life < b.life || (a.life === b.life && isBefore(a, b));
}

/** Puts two edicts of one partition in the order of their creation. */
export function compareEdicts(a: EdictStamp, b: EdictStamp, precedes: typeof precedesAtGranter = precedesAtGranter): EdictOrder {
  if (a.epoch !== b.epoch) return a.epoch < b.epoch ? 'before' : 'after';
  const isEarlier = derives(a.quorum, b.quorum, precedes);
  const isLater = derives(b.quorum, a.quorum, precedes);
  if (isEarlier && isLater) return 'clock-assumption-violated';
  if (isEarlier) return 'before';
  if (isLater) return 'after';
  if (a.counter === b.counter) return 'same';
  return a.counter < b.counter ? 'before' : 'after';
}

function derives(a: QuorumTimestamp, b: QuorumTimestamp, precedes: typeof precedesAtGranter): boolean {
  return a.some((sample, index) => {
    const other = b[index];
    return sample !== undefined && other !== undefined && precedes(sample, other);
  });
}
