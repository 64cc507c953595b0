// Parses lease records of any release. The format is frozen: whatever parses here is read by every
// release as a record, whatever its version, size or extra fields (L1). The checks below must never
// become stricter or looser.
import {
  isFields,
  isThresholdMs,
  isToken,
  type JsonFields,
  jsonFields,
  metadataOf,
} from '../engine/envelope.ts';
import { heightMax, type LedgerRecord } from './record.ts';

/**
 * Formats a record as JSON that any console can show, with the token as a decimal string.
 *
 * @throws RangeError if {@link parseRecord} would not read the record: no member could continue it
 */
export function formatRecord(record: LedgerRecord): string {
  const data = { ...record, token: record.token.toString() };
  if (!isEnvelope(data))
    throw new RangeError(`no member could read this record: ${JSON.stringify(data)}`);
  return JSON.stringify(data);
}

/**
 * Parses the record in `text`. Returns `undefined` if it is not a record; such text never takes
 * effect (L1).
 */
export function parseRecord(text: string): LedgerRecord | undefined {
  return toRecord(jsonFields(text));
}

/**
 * Converts plain data to a record, for stores that keep fields instead of text. Returns `undefined`
 * if it is not a record.
 */
export function toRecord(data: unknown): LedgerRecord | undefined {
  if (!isFields(data) || !isEnvelope(data)) return undefined;
  const { group, partition, id, after, height, member, incarnation, kind, thresholdMs } = data;
  const record = {
    group,
    partition,
    id,
    after,
    height,
    member,
    incarnation,
    kind,
    token: BigInt(data.token),
    thresholdMs,
  };
  const to = toDelegate(data.to);
  const metadata = metadataOf(data.metadata);
  return { ...record, ...(to && { to }), ...(metadata && { metadata }) };
}

interface Envelope extends Omit<LedgerRecord, 'token' | 'to' | 'metadata'> {
  readonly token: string;
  readonly to?: unknown;
  readonly metadata?: unknown;
}

function isEnvelope(data: JsonFields): data is JsonFields & Envelope {
  const { group, id, member, incarnation, kind, after, token } = data;
  return (
    [group, id, member, incarnation, kind].every((name) => typeof name === 'string') &&
    (after === null || typeof after === 'string') &&
    isToken(token) &&
    hasSaneNumbers(data)
  );
}

function hasSaneNumbers({ partition, height, thresholdMs }: JsonFields): boolean {
  return (
    Number.isSafeInteger(partition) &&
    Number.isSafeInteger(height) &&
    Number(height) >= 0 &&
    Number(height) <= heightMax &&
    isThresholdMs(thresholdMs)
  );
}

function toDelegate(data: unknown): LedgerRecord['to'] {
  if (!isFields(data) || typeof data['incarnation'] !== 'string') return undefined;
  const { incarnation, requestId, member } = data;
  return {
    incarnation,
    requestId: typeof requestId === 'string' ? requestId : '',
    member: typeof member === 'string' ? member : incarnation,
  };
}
