// Parses and formats beats, the records by which leaders of a `continuous` group show that they are
// still in charge. Text that parses here is a beat in every release, with any extra fields.
import { jsonFields } from '@leadership/core/adapter';
import {
  isThresholdMs,
  isToken,
  type JsonFields,
  metadataOf,
} from '@leadership/core/internal/engine';
import type { Beat } from './beat.ts';

/**
 * Formats a beat as JSON that any console can show, with the token as a decimal string.
 *
 * @throws RangeError if {@link parseBeat} would not read the beat
 */
export function formatBeat(beat: Beat): string {
  const data = { ...beat, token: beat.token.toString() };
  if (!isEnvelope(data))
    throw new RangeError(`no member could read this beat: ${JSON.stringify(data)}`);
  return JSON.stringify(data);
}

/** Parses the beat in `text`. Returns `undefined` if it is not a beat. */
export function parseBeat(text: string): Beat | undefined {
  const data = jsonFields(text);
  return data && isEnvelope(data) ? toBeat(data) : undefined;
}

interface Envelope extends Omit<Beat, 'token' | 'generation' | 'metadata'> {
  readonly token: string;
  readonly generation?: unknown;
  readonly metadata?: unknown;
}

function toBeat(data: Envelope): Beat {
  const { group, partition, id, member, incarnation, sequence, standing } = data;
  const { token, partitions, thresholdMs, generation } = data;
  const metadata = metadataOf(data.metadata);
  return {
    group,
    partition,
    id,
    member,
    incarnation,
    sequence,
    standing,
    token: BigInt(token),
    partitions,
    thresholdMs,
    ...(isCount(generation) && { generation }),
    ...(metadata && { metadata }),
  };
}

function isEnvelope(data: JsonFields): data is JsonFields & Envelope {
  const { group, id, member, incarnation, standing, token, partition, partitions, sequence } = data;
  return (
    [group, id, member, incarnation, standing].every((word) => typeof word === 'string') &&
    isToken(token) &&
    isCount(partition) &&
    isCount(sequence) &&
    isCount(partitions) &&
    isThresholdMs(data['thresholdMs'])
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
