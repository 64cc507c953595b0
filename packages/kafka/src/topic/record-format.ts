// Parses the pins of groups among the records of the topic. Every group's pin is in partition 0. Its form is
// frozen: that of the records with which the first releases led groups (L1).
import { type LedgerRecord, parseRecord, pinRegister } from '@leadership/core/internal/lease';

/** Returns the pin in a record of partition 0; `undefined` if it is none. */
export function parsePin(value: Uint8Array | null): LedgerRecord | undefined {
  const record = parseRecord(textOf(value));
  return record?.partition === pinRegister ? record : undefined;
}

/** Decodes the value as UTF-8; a missing value is empty. */
export function textOf(value: Uint8Array | null): string {
  return value === null
    ? ''
    : Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8');
}
