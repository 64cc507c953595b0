// Which election it is, and by which numbers.
import { LeadershipError } from '@leadership/core';
import { readingMs } from './pace.ts';

/** What a group may be promised. */
export type Guarantee = 'exclusive' | 'continuous';

/** What a user may say about it. */
export interface ElectionOptions {
  readonly guarantee?: Guarantee;
  readonly leaseMs?: number;
  readonly membersMax?: number;
  readonly stream?: string;
}

/** The election, as far as it is known before T is. */
export type Election =
  | { readonly guarantee: 'exclusive' }
  | { readonly guarantee: 'continuous'; readonly leaseMs: number | undefined; readonly membersMax: number };

/** The numbers that never leaderless rests on. */
export interface Continuous {
  readonly leaseMs: number;
  readonly membersMax: number;
  /** The longest that a reader of the stream is behind, with so many members. Milliseconds. */
  readonly newsDelayMs: number;
}

/** So that at T = 3 s, with four members, one that is cut off is succeeded before its belief ends. */
const [leaseThresholds, membersMaxDefault] = [1 / 3, 4];
/** Shorter leases cannot be kept: they are renewed every third of it. Milliseconds. */
const leaseMsMin = 100;
/** That there is a lease to be had, that its new owner is heard, and that it leads, are read one after the other. */
const readingsInMove = 3;
/** A pace is kept within a tenth. */
const slack = 1.1;
const guarantees: readonly unknown[] = ['exclusive', 'continuous'] satisfies Guarantee[];

/**
 * Which election the options ask for.
 * @throws LeadershipError `invalid-options`
 */
export function checkElection({ guarantee = 'exclusive', leaseMs, membersMax, stream }: ElectionOptions): Election {
  check(guarantees.includes(guarantee), `guarantee ${JSON.stringify(guarantee)} must be "exclusive" or "continuous"`);
  if (guarantee === 'exclusive') {
    check(leaseMs === undefined, `leaseMs ${leaseMs} needs guarantee "continuous": an exclusive lease lasts thresholdMs`);
    check(membersMax === undefined, `membersMax ${membersMax} needs guarantee "continuous": a table is read by any number of members`);
    return { guarantee };
  }
  check(
    stream !== undefined,
    'guarantee "continuous" needs a stream for its beats, as in kinesis://eu-west-1/beats?group=billing&table=leases',
  );
  const isLease = leaseMs === undefined || (Number.isFinite(leaseMs) && leaseMs >= leaseMsMin);
  check(isLease, `leaseMs ${leaseMs} must be a number of milliseconds from ${leaseMsMin} up`);
  const members = membersMax ?? membersMaxDefault;
  check(Number.isSafeInteger(members) && members >= 1, `membersMax ${membersMax} must be a whole number from 1 up`);
  return { guarantee, leaseMs, membersMax: members };
}

/**
 * The numbers under T.
 * @throws LeadershipError `invalid-options` where T leaves no room for them
 */
export function continuousUnder({ leaseMs: given, membersMax }: Election & { guarantee: 'continuous' }, thresholdMs: number): Continuous {
  const leaseMs = given ?? leaseThresholds * thresholdMs;
  const why = 'a leader that is cut off must lead on until another can have taken its lease';
  check(thresholdMs > leaseMs, `thresholdMs ${thresholdMs} must exceed leaseMs ${leaseMs}: ${why}`);
  const newsDelayMs = Math.ceil(slack * readingMs(membersMax));
  const least = readingsInMove * newsDelayMs;
  const members = `${membersMax} members (membersMax) read a shard every ${newsDelayMs} ms each`;
  check(
    thresholdMs > least,
    `thresholdMs ${thresholdMs} must exceed ${least}: ${members}, and a planned move takes ${readingsInMove} readings`,
  );
  return { leaseMs, membersMax, newsDelayMs };
}

function check(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}
