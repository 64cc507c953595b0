import { randomUUID } from 'node:crypto';
import { formatRecord, type LedgerRecord, parseRecord } from '@leadership/core/internal/lease';
import type { KafkaCluster } from '@leadership/tools/kafka';
import { withTopic } from './with-topic.ts';

/** Values that no member writes: null, binary data, other data, and a truncated record. */
export function putGarbage(
  kafka: KafkaCluster,
  topic: string,
  group: string,
  partition: number,
): Promise<void> {
  return withTopic(kafka, topic, async ({ read, append }) => {
    const record = (await read(partition)).current(group, partition);
    await append(partition, null);
    await append(partition, Buffer.from([0, 1, 0xff, 0xfe]));
    await append(partition, JSON.stringify({ group, partition, kind: 'hold' }));
    await append(partition, record ? formatRecord(record).slice(0, -20) : '{');
  });
}

/**
 * A record as a later release may write it: of a kind and with fields that this one does not know
 * (L1). Resolves once it is in effect.
 */
export function putOtherRelease(
  kafka: KafkaCluster,
  topic: string,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  return withTopic(kafka, topic, async ({ read, append }) => {
    for (;;) {
      const record = laterRecord((await read(partition)).current(group, partition), {
        group,
        partition,
        kind,
        thresholdMs,
      });
      await append(
        partition,
        JSON.stringify({ ...plain(record), version: 99, proof: { of: ['something', 'else'] } }),
      );
      // A renewal may have been faster.
      if ((await read(partition)).tookEffect(record)) return;
    }
  });
}

type Place = Pick<LedgerRecord, 'group' | 'partition' | 'kind' | 'thresholdMs'>;

function laterRecord(current: LedgerRecord | undefined, place: Place): LedgerRecord {
  const { id = null, height = -1, token = 0n } = current ?? {};
  const writer = { id: `later/${randomUUID()}`, member: 'later', incarnation: 'later' };
  return { ...place, ...writer, after: id, height: height + 1, token: token + 1n };
}

function plain(record: LedgerRecord): object {
  const text = formatRecord(record);
  if (parseRecord(text) === undefined) throw new Error(`not a record: ${text}`);
  return JSON.parse(text) as object;
}
