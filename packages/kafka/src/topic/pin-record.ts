// The pins of groups among the records of the topic (R3). Every group's pin is in partition 0. Their form
// is frozen: the first releases wrote the leases of each partition in it, and refuse a group by its pin.
// The checks below must never become stricter or looser.
import type { Metadata } from '@leadership/core';
import { jsonFields } from '@leadership/core/adapter';
import {
  isThresholdMs,
  isToken,
  type JsonFields,
  metadataOf,
} from '@leadership/core/internal/engine';

/** Partitions count from 0: a record of this one is the pin of its group. */
const pinPartition = -1;

/** The greatest height of a record: a greater one leaves no room for the copies that follow. */
const heightMax = 2 ** 52;

/** A pin. It names the record that it replaces. */
export interface PinRecord {
  /** The group that the pin belongs to. */
  readonly group: string;
  readonly partition: typeof pinPartition;
  /** Unique for each attempt. */
  readonly id: string;
  /** The id of the record that this one replaces; `null` for the first record. */
  readonly after: string | null;
  /** The height of the replaced record + 1; 0 for the first record. */
  readonly height: number;
  /** The member name of the writer. */
  readonly member: string;
  /** The incarnation of the writer. */
  readonly incarnation: string;
  /** `pin`; earlier releases have other kinds of records for leases. */
  readonly kind: string;
  /** A decimal number; `0` in every pin. */
  readonly token: string;
  /** T of the writer. Milliseconds. */
  readonly thresholdMs: number;
  /** Its values: the number of partitions, the longest T, and the guarantee. */
  readonly metadata?: Metadata;
}

/** The values of a group's pin, and its writer. */
interface PinFields extends Pick<PinRecord, 'group' | 'member' | 'incarnation' | 'thresholdMs'> {
  readonly partitions: number;
  readonly thresholdMsMax: number;
  readonly guarantee: string;
}

/** Returns the text of the first pin of a group. `sequence` numbers the attempts of one incarnation. */
export function pinText(fields: PinFields, sequence: number): string {
  const { group, member, incarnation, thresholdMs } = fields;
  const { partitions, thresholdMsMax, guarantee } = fields;
  const pin: PinRecord = {
    group,
    partition: pinPartition,
    id: `${member}/${incarnation}/pin.${sequence}`,
    after: null,
    height: 0,
    member,
    incarnation,
    kind: 'pin',
    token: '0',
    thresholdMs,
    metadata: {
      partitions: String(partitions),
      thresholdMsMax: String(thresholdMsMax),
      guarantee,
    },
  };
  return JSON.stringify(pin);
}

/** Returns the pin in a record of partition 0; `undefined` if it is none. */
export function parsePin(value: Uint8Array | null): PinRecord | undefined {
  const data = jsonFields(textOf(value));
  if (data === undefined || !isPin(data)) return undefined;
  const { group, partition, id, after, height, member, incarnation, kind, token, thresholdMs } =
    data;
  const record = {
    group,
    partition,
    id,
    after,
    height,
    member,
    incarnation,
    kind,
    token,
    thresholdMs,
  };
  const metadata = metadataOf(data.metadata);
  return { ...record, ...(metadata && { metadata }) };
}

interface PinData extends Omit<PinRecord, 'metadata'> {
  readonly metadata?: unknown;
}

function isPin(data: JsonFields): data is JsonFields & PinData {
  const { group, partition, id, member, incarnation, kind, after, token } = data;
  return (
    partition === pinPartition &&
    [group, id, member, incarnation, kind].every((name) => typeof name === 'string') &&
    (after === null || typeof after === 'string') &&
    isToken(token) &&
    hasSaneNumbers(data)
  );
}

function hasSaneNumbers({ height, thresholdMs }: JsonFields): boolean {
  return (
    Number.isSafeInteger(height) &&
    Number(height) >= 0 &&
    Number(height) <= heightMax &&
    isThresholdMs(thresholdMs)
  );
}

/** Decodes the value as UTF-8; a missing value is empty. */
export function textOf(value: Uint8Array | null): string {
  return value === null
    ? ''
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8');
}
