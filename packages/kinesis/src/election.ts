// Validates the option `guarantee`, and the numbers that belong to it.

import { check } from '@leadership/core/adapter';
import { readingMs } from './stream/read-rate.ts';

/** The guarantees that a group can be given. */
type Guarantee = 'exclusive' | 'continuous';

/** The options that concern the guarantee, as the user passed them. */
export interface ElectionOptions {
  readonly guarantee?: Guarantee;
  readonly leaseMs?: number;
  readonly membersMax?: number;
  readonly stream?: string;
}

/** The checked options. T is not known yet, so `leaseMs` may still be without its default. */
export type Election =
  | { readonly guarantee: 'exclusive' }
  | {
      readonly guarantee: 'continuous';
      readonly leaseMs: number | undefined;
      readonly membersMax: number;
    };

/** The numbers of a continuous election, with defaults applied. */
export interface Continuous {
  readonly leaseMs: number;
  readonly membersMax: number;
  /** The longest delay of a stream reader if `membersMax` members read. Milliseconds. */
  readonly deliveryDelayMs: number;
}

/**
 * With T = 3 s and four members, these defaults let a successor take over before a cut-off leader's
 * belief ends.
 */
const [leaseThresholds, membersMaxDefault] = [1 / 3, 4];
/** A lease is renewed every third of its duration; shorter leases would expire. Milliseconds. */
const leaseMsMin = 100;
/**
 * A planned move needs three successive reads: the lease is free, the new owner claimed it, the new
 * owner leads.
 */
const readingsInMove = 3;
/** The actual read interval may exceed the planned one by a tenth. */
const slack = 1.1;
const guarantees: readonly unknown[] = ['exclusive', 'continuous'] satisfies Guarantee[];

/**
 * Checks the options that concern the guarantee.
 * @throws LeadershipError `invalid-options`
 */
export function checkElection({
  guarantee = 'exclusive',
  leaseMs,
  membersMax,
  stream,
}: ElectionOptions): Election {
  check(
    guarantees.includes(guarantee),
    `guarantee ${JSON.stringify(guarantee)} must be "exclusive" or "continuous"`,
  );
  if (guarantee === 'exclusive') {
    check(
      leaseMs === undefined,
      `leaseMs ${leaseMs} needs guarantee "continuous": the duration of an exclusive lease is thresholdMs`,
    );
    check(
      membersMax === undefined,
      `membersMax ${membersMax} needs guarantee "continuous": any number of members can read a table`,
    );
    return { guarantee };
  }
  check(
    stream !== undefined,
    'guarantee "continuous" needs a stream for its beats, as in kinesis://eu-west-1/beats?group=billing&table=leases',
  );
  const isLease = leaseMs === undefined || (Number.isFinite(leaseMs) && leaseMs >= leaseMsMin);
  check(isLease, `leaseMs ${leaseMs} must be a number of milliseconds from ${leaseMsMin} up`);
  const members = membersMax ?? membersMaxDefault;
  check(
    Number.isSafeInteger(members) && members >= 1,
    `membersMax ${membersMax} must be a whole number from 1 up`,
  );
  return { guarantee, leaseMs, membersMax: members };
}

/**
 * Applies the defaults that depend on T.
 * @throws LeadershipError `invalid-options` if T is too short for the other numbers
 */
export function continuousUnder(
  { leaseMs: given, membersMax }: Election & { guarantee: 'continuous' },
  thresholdMs: number,
): Continuous {
  const leaseMs = given ?? leaseThresholds * thresholdMs;
  const why =
    'a leader without a connection must keep leading until another member can claim its lease';
  check(thresholdMs > leaseMs, `thresholdMs ${thresholdMs} must exceed leaseMs ${leaseMs}: ${why}`);
  const deliveryDelayMs = Math.ceil(slack * readingMs(membersMax));
  const least = readingsInMove * deliveryDelayMs;
  const members = `${membersMax} members (membersMax) each read a shard every ${deliveryDelayMs} ms`;
  check(
    thresholdMs > least,
    `thresholdMs ${thresholdMs} must exceed ${least}: ${members}, and a planned move takes ${readingsInMove} reads`,
  );
  return { leaseMs, membersMax, deliveryDelayMs };
}
