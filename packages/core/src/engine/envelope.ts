// The checks of JSON that the record formats of the protocols share. The formats are frozen: these
// checks must never become stricter or looser (L1).
import type { Metadata } from '../contract/leader.ts';

/** The fields of a JSON object. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** The longest T that a message may carry: one day, in milliseconds. */
export const thresholdMsLimit = 86_400_000;

/** Tokens fit a signed 64-bit column (T1). */
const tokenMax = 2n ** 63n - 1n;

/** Parses a text as a JSON object and returns its fields; `undefined` if the text is not one. */
export function jsonFields(text: string): JsonFields | undefined {
  try {
    const data: unknown = JSON.parse(text);
    return isFields(data) ? data : undefined;
  } catch {
    return undefined;
  }
}

export function isFields(data: unknown): data is JsonFields {
  return typeof data === 'object' && data !== null;
}

/** Returns whether the value is a token as a decimal string. */
export function isToken(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,19}$/.test(value) && BigInt(value) <= tokenMax;
}

/** Returns whether the value is a number of milliseconds that T may have. */
export function isThresholdMs(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) > 0 && Number(value) <= thresholdMsLimit;
}

/** Returns the fields that are strings; `undefined` if the data has no fields. */
export function metadataOf(data: unknown): Metadata | undefined {
  if (!isFields(data)) return undefined;
  const words = Object.entries(data).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(words);
}
