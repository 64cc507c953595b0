// The envelope format is frozen: whatever parses here is folded in every release, whatever its
// version, size or extra fields (L1). The checks below must never become stricter or looser.
import type { Metadata } from '../contract/leader.ts';
import type { Delegate, LedgerRecord } from './record.ts';

/** The longest T that a record may carry: one day, in milliseconds. */
export const thresholdMsLimit = 86_400_000;

/** Tokens fit a signed 64-bit column (T1). */
const tokenMax = 2n ** 63n - 1n;

/** Formats a record as JSON that any console can show, with the token as a decimal string. */
export function formatRecord(record: LedgerRecord): string {
  return JSON.stringify({ ...record, token: record.token.toString() });
}

/**
 * Parses the record in `text`. Returns `undefined` if it is not a record; such text never takes
 * effect (L1).
 */
export function parseRecord(text: string): LedgerRecord | undefined {
  try {
    return toRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
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
  const metadata = toMetadata(data.metadata);
  return { ...record, ...(to && { to }), ...(metadata && { metadata }) };
}

interface Envelope extends Omit<LedgerRecord, 'token' | 'to' | 'metadata'> {
  readonly token: string;
  readonly to?: unknown;
  readonly metadata?: unknown;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(data: unknown): data is Fields {
  return typeof data === 'object' && data !== null;
}

function isEnvelope(data: Fields): data is Fields & Envelope {
  const { group, id, member, incarnation, kind, after, token } = data;
  return (
    [group, id, member, incarnation, kind].every((name) => typeof name === 'string') &&
    (after === null || typeof after === 'string') &&
    typeof token === 'string' &&
    /^\d{1,19}$/.test(token) &&
    BigInt(token) <= tokenMax &&
    hasSaneNumbers(data)
  );
}

function hasSaneNumbers({ partition, height, thresholdMs }: Fields): boolean {
  return (
    Number.isSafeInteger(partition) &&
    Number.isSafeInteger(height) &&
    Number(height) >= 0 &&
    Number.isFinite(thresholdMs) &&
    Number(thresholdMs) > 0 &&
    Number(thresholdMs) <= thresholdMsLimit
  );
}

function toDelegate(data: unknown): Delegate | undefined {
  if (!isFields(data) || typeof data['incarnation'] !== 'string') return undefined;
  const { incarnation, want, member } = data;
  return {
    incarnation,
    want: typeof want === 'string' ? want : '',
    member: typeof member === 'string' ? member : incarnation,
  };
}

function toMetadata(data: unknown): Metadata | undefined {
  if (!isFields(data)) return undefined;
  const words = Object.entries(data).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(words);
}
