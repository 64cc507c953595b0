// The wire format of a beat. Text that parses here is a beat in every release, with any extra
// fields.
import type { Metadata } from '../contract/leader.ts';
import { thresholdMsLimit } from '../ledger/envelope.ts';
import type { Beat } from './beat.ts';

/** Tokens fit a signed 64-bit column (T1). */
const tokenMax = 2n ** 63n - 1n;

/** Formats a beat as JSON that any console can show, with the token as a decimal string. */
export function formatBeat(beat: Beat): string {
  return JSON.stringify(beat, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

/** Parses the beat in `text`. Returns `undefined` if it is not a beat. */
export function parseBeat(text: string): Beat | undefined {
  try {
    return toBeat(JSON.parse(text));
  } catch {
    return undefined;
  }
}

type Fields = Readonly<Record<string, unknown>>;

interface Envelope extends Omit<Beat, 'token' | 'generation' | 'metadata'> {
  readonly token: string;
  readonly generation?: unknown;
  readonly metadata?: unknown;
}

function toBeat(data: unknown): Beat | undefined {
  if (!isFields(data) || !isEnvelope(data)) return undefined;
  const {
    group,
    partition,
    id,
    member,
    incarnation,
    sequence,
    standing,
    partitions,
    thresholdMs,
    generation,
  } = data;
  const metadata = toMetadata(data.metadata);
  return {
    ...{
      group,
      partition,
      id,
      member,
      incarnation,
      sequence,
      standing,
      token: BigInt(data.token),
      partitions,
      thresholdMs,
    },
    ...(isCount(generation) && { generation }),
    ...(metadata && { metadata }),
  };
}

function isFields(data: unknown): data is Fields {
  return typeof data === 'object' && data !== null;
}

function isEnvelope(data: Fields): data is Fields & Envelope {
  const { group, id, member, incarnation, standing, token, partition, partitions, sequence } = data;
  return (
    [group, id, member, incarnation, standing].every((word) => typeof word === 'string') &&
    typeof token === 'string' &&
    /^\d{1,19}$/.test(token) &&
    BigInt(token) <= tokenMax &&
    isCount(partition) &&
    isCount(sequence) &&
    isCount(partitions) &&
    isThreshold(data['thresholdMs'])
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isThreshold(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) > 0 && Number(value) <= thresholdMsLimit;
}

function toMetadata(data: unknown): Metadata | undefined {
  if (!isFields(data)) return undefined;
  const words = Object.entries(data).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(words);
}
