// The records that members write to a store: who holds a lease, since when, and for how long; and
// how they are read and written as text.
import type { Metadata } from '../contract/leader.ts';

/**
 * The register that holds the group's pin (R3). Partitions count from 0, so -1 is never a
 * partition.
 */
export const pinRegister = -1;

/**
 * The greatest height of a record. A chain that writes a record every millisecond reaches it after
 * 142,000 years; a greater height leaves no room for later records, and is not a record.
 */
export const heightMax: number = 2 ** 52;

/**
 * Returns the height of the record that replaces `effect`. Nothing follows the greatest height,
 * which only an edited row has: a register then begins again, as one that went back (L11).
 */
export function heightAfter(effect: LedgerRecord | null): number {
  return effect === null || effect.height >= heightMax ? 0 : effect.height + 1;
}

/**
 * One record of a register's chain. It names the record that it replaces, and takes effect only if
 * that record is still current (L1).
 */
export interface LedgerRecord {
  /** The group that the record belongs to. Records of other groups are ignored. */
  readonly group: string;
  /** The partition, or -1 for the pin of the group. */
  readonly partition: number;
  /** `member/incarnation/sequence`, unique for each attempt (L3). */
  readonly id: string;
  /** The id of the record that this one replaces; `null` for the first record. */
  readonly after: string | null;
  /** The height of the replaced record + 1; 0 for the first record. */
  readonly height: number;
  /** The member name of the writer. */
  readonly member: string;
  /** The incarnation of the writer. */
  readonly incarnation: string;
  /**
   * What the record does when it takes effect. A kind that this release does not know counts as a
   * hold by another member (L1).
   */
  readonly kind: 'hold' | 'release' | 'pin' | (string & {});
  /** For a release: the member that receives the lease, if any (L6). */
  readonly to?: {
    /** The incarnation that receives the lease. */
    readonly incarnation: string;
    /** The id of the lease request that the release answers (L7). */
    readonly requestId: string;
    /** The name of that member. */
    readonly member: string;
  };
  /** The fencing number of the term (T1). */
  readonly token: bigint;
  /** T of this record, in milliseconds. All other members wait by it (L5). */
  readonly thresholdMs: number;
  /** The strings that the writer publishes about itself. */
  readonly metadata?: Metadata;
}

/**
 * Returns the holder of the lease while `record` is in effect, or `undefined` after a release
 * without a delegate (L2, L6).
 */
export function holderOf(
  record: LedgerRecord | null,
): { readonly incarnation: string; readonly member: string } | undefined {
  if (record === null || record.kind === 'pin') return undefined;
  return record.kind === 'release' ? record.to : record;
}

/** What a group's pin says (R3), and who writes it. */
interface PinFields extends Pick<LedgerRecord, 'group' | 'member' | 'incarnation' | 'thresholdMs'> {
  readonly partitions: number;
  readonly thresholdMsMax: number;
  readonly guarantee: string;
}

/** Returns the first pin of a group. `sequence` numbers the attempts of one incarnation. */
export function pinRecordOf(fields: PinFields, sequence: number): LedgerRecord {
  const { group, member, incarnation, thresholdMs } = fields;
  const { partitions, thresholdMsMax, guarantee } = fields;
  return {
    group,
    partition: pinRegister,
    id: `${member}/${incarnation}/pin.${sequence}`,
    after: null,
    height: 0,
    member,
    incarnation,
    kind: 'pin',
    token: 0n,
    thresholdMs,
    metadata: {
      partitions: String(partitions),
      thresholdMsMax: String(thresholdMsMax),
      guarantee,
    },
  };
}
