import type { Metadata } from '../contract/leader.ts';

/** The register that holds the group's pin (R3). Partitions count from 0, so it can be nobody's. */
export const pinRegister = -1;

/** Who gets the lease in the very record that releases it (L6), and which of its wants is answered (L7). */
export interface Delegate {
  readonly incarnation: string;
  readonly want: string;
  readonly member: string;
}

/** What a record does when it takes effect. Kinds of other releases count as a hold by a stranger (L1). */
export type RecordKind = 'hold' | 'release' | 'pin' | (string & {});

/** One record of a register's chain: names the one it replaces, and takes effect only if that one is still current (L1). */
export interface LedgerRecord {
  readonly group: string;
  readonly partition: number;
  /** member/incarnation/sequence: one per attempt (L3). */
  readonly id: string;
  /** The id of the record it replaces; `null` for the first. */
  readonly after: string | null;
  /** The replaced record's height + 1; 0 for the first. */
  readonly height: number;
  readonly member: string;
  readonly incarnation: string;
  readonly kind: RecordKind;
  readonly to?: Delegate;
  readonly token: bigint;
  /** T of this very record, in milliseconds: what all others wait by (L5). */
  readonly thresholdMs: number;
  readonly metadata?: Metadata;
}

/** Who holds the lease once `record` is in effect: an incarnation, or nobody after a plain release (L2, L6). */
export function holderOf(record: LedgerRecord | null): { readonly incarnation: string; readonly member: string } | undefined {
  if (record === null || record.kind === 'pin') return undefined;
  return record.kind === 'release' ? record.to : record;
}
