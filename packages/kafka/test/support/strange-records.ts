import { randomUUID } from 'node:crypto';
import type { RowChange, Rows } from '@leadership/core/adapter';
import type { KafkaCluster } from '@leadership/tools/kafka';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';
import { openRows } from './rows-store.ts';
import { withTopic } from './with-topic.ts';

/** How long a row may change before each attempt to replace it. Milliseconds. */
const limitMs = 20_000;

/**
 * Records that no member writes: null, binary data, other data, and a truncated entry; and rows that no
 * member writes: foreign ones, and half of one.
 */
export async function putGarbage(
  kafka: KafkaCluster,
  topic: string,
  group: string,
  partition: number,
): Promise<void> {
  await withTopic(kafka, topic, async ({ append }) => {
    await append(0, null);
    await append(0, Buffer.from([0, 1, 0xff, 0xfe]));
    await append(0, JSON.stringify({ kind: 'batch', id: 'x', epoch: 0 }));
    await append(0, '{"kind":"batch","id":"x","epoch":0,"changes":[["');
  });
  const row = `partition#${partition}`;
  await changed(kafka, topic, group, (rows) => {
    const text = rows.get(row);
    return [
      { name: 'README', expected: rows.get('README') ?? null, text: 'not a partition' },
      { name: 'partition#x', expected: rows.get('partition#x') ?? null, text: '{"id":7}' },
      { name: row, expected: text ?? null, text: (text ?? '{}').slice(0, (text?.length ?? 2) / 2) },
    ];
  });
}

/**
 * Lets a member of a later release own the partition, with a kind and fields that this release does not
 * know (L1).
 */
export async function putOtherRelease(
  kafka: KafkaCluster,
  topic: string,
  group: string,
  partition: number,
  kind: string,
  thresholdMs: number,
): Promise<void> {
  const row = `partition#${partition}`;
  await changed(kafka, topic, group, (rows) => {
    const text = rows.get(row);
    const before = JSON.parse(text ?? '{}') as { life?: string; version?: number; token?: string };
    const { life, version = 0, token: last = '0' } = before;
    const session = `later-${randomUUID()}/1`;
    const [release, proof, token] = [99, ['else'], String(BigInt(last) + 1n)];
    const next = { release, proof, kind, life, version: version + 1, session, token };
    const opened = { release, kind, version: 0, thresholdMs, member: 'later', proof };
    return [
      { name: `session#${session}`, expected: null, text: JSON.stringify(opened) },
      { name: row, expected: text ?? null, text: JSON.stringify(next) },
    ];
  });
}

/**
 * Changes rows in the first store of the group past its members, until the last change is made: its row
 * may change after each reading.
 */
async function changed(
  kafka: KafkaCluster,
  topic: string,
  group: string,
  changesOf: (rows: ReadonlyMap<string, string>) => readonly RowChange[],
): Promise<void> {
  const rows: Rows = openRows(kafkajsClient({ brokers: [...kafka.direct] }), { topic, group });
  const signal = AbortSignal.timeout(limitMs);
  try {
    await rows.open?.(signal, true);
    for (;;) {
      const read = await rows.exchange({ changes: [], since: undefined }, signal);
      const known = new Map(
        read.rows.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const])),
      );
      const changes = changesOf(known);
      const { outcomes } = await rows.exchange({ changes, since: read.position }, signal);
      if (outcomes.at(-1) === true) return;
    }
  } finally {
    await rows.close();
  }
}
