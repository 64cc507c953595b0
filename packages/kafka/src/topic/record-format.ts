// Parses the records of the topic. The partition of a chain is part of the frozen format: partition
// p of every group is stored in partition p of the topic, every group's pin in partition 0. A
// record in any other partition never takes effect.
import {
  type LeaseRequest,
  type LedgerRecord,
  pinRegister,
  toRecord,
} from '@leadership/core/internal/lease';
import { type LeaveNotice, toLeaveNotice } from './leave-notice.ts';

/** A parsed record. */
export type ParsedRecord =
  /** A record of a chain of this partition, of any group. */
  | { readonly kind: 'record'; readonly group: string; readonly record: LedgerRecord }
  /** A member requests a lease (L7), in any group. */
  | { readonly kind: 'lease-request'; readonly group: string; readonly request: LeaseRequest }
  /** A member is no longer a candidate, in any group. */
  | { readonly kind: 'leave-notice'; readonly group: string; readonly notice: LeaveNotice }
  | { readonly kind: 'ignored'; readonly what: string };

/** Returns the partition of the topic that stores a register. */
export function topicPartitionOf(register: number): number {
  return register === pinRegister ? 0 : register;
}

/** Returns the registers that a partition of the topic stores. */
export function registersIn(topicPartition: number): readonly number[] {
  return topicPartition === 0 ? [pinRegister, 0] : [topicPartition];
}

/** Parses the value of a record in the given partition of the topic. */
export function parseRecord(topicPartition: number, value: Uint8Array | null): ParsedRecord {
  if (value === null) return { kind: 'ignored', what: 'a record without a value' };
  const data = parse(value);
  const record = toRecord(data);
  if (record === undefined) return parseNotice(topicPartition, data);
  if (registersIn(topicPartition).includes(record.partition))
    return { kind: 'record', group: record.group, record };
  return { kind: 'ignored', what: 'a record in another partition than its own' };
}

/**
 * Formats a lease request. Its fields are nested, so that no release mistakes it for a record that
 * takes effect (L1).
 */
export function formatLeaseRequest(group: string, request: LeaseRequest): string {
  return JSON.stringify({ group, leaseRequest: request });
}

/** Decodes the value as UTF-8; a missing value is empty. */
export function textOf(value: Uint8Array | null): string {
  return value === null
    ? ''
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8');
}

function parse(value: Uint8Array): unknown {
  try {
    return JSON.parse(textOf(value));
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

function parseNotice(topicPartition: number, data: unknown): ParsedRecord {
  const { group, leaseRequest, leaveNotice } = fieldsOf(data);
  const request = toLeaseRequest(leaseRequest);
  const notice = toLeaveNotice(leaveNotice);
  if (isText(group) && request?.partition === topicPartition)
    return { kind: 'lease-request', group, request };
  if (isText(group) && notice) return { kind: 'leave-notice', group, notice };
  return { kind: 'ignored', what: 'a record of unknown content' };
}

function toLeaseRequest(data: unknown): LeaseRequest | undefined {
  const { partition, id, incarnation, member, thresholdMs } = fieldsOf(data);
  const isNamed = isText(id) && isText(incarnation) && isText(member);
  if (!isNamed || typeof thresholdMs !== 'number' || typeof partition !== 'number')
    return undefined;
  return { partition, id, incarnation, member, thresholdMs };
}

function fieldsOf(data: unknown): Fields {
  return typeof data === 'object' && data !== null ? (data as Fields) : {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
