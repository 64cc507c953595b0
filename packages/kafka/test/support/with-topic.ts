// Reads and writes a topic past the members: all there is of a partition, from its start to its
// end.

import { monotonicClock } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import type { KafkaCluster } from '@leadership/tools/kafka';
import { Kafka, logLevel } from 'kafkajs';
import {
  type ClusterConnection,
  openClusterConnection,
} from '../../src/connection/cluster-connection.ts';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';
import { readToEnd } from '../../src/topic/read-to-end.ts';

/** A partition as it was read. */
export interface Content {
  readonly values: readonly (string | null)[];
  readonly start: bigint;
  readonly end: bigint;
}

/** A topic that is open for inspection. */
export interface OpenTopic {
  read(partition: number): Promise<Content>;
  append(partition: number, value: string | Buffer | null): Promise<void>;
}

/**
 * For a starved machine: KafkaJS ends a connection attempt after a second, even if this process was
 * suspended meanwhile.
 */
const limitMs = 10_000;

export async function withTopic<T>(
  kafka: KafkaCluster,
  topic: string,
  act: (topic: OpenTopic) => Promise<T>,
): Promise<T> {
  const config = { brokers: [...kafka.direct], connectionTimeout: limitMs };
  const client = new Kafka({ ...config, logLevel: logLevel.NOTHING });
  const producer = client.producer({
    createPartitioner: () => () => 0,
    allowAutoTopicCreation: false,
  });
  const over = new AbortController();
  try {
    await producer.connect();
    const options = {
      client: kafkajsClient(config),
      topic,
      clock: monotonicClock,
      limitMs,
      requestTimeoutMs: limitMs,
    };
    const connection = await openClusterConnection(options, over.signal);
    return await act({
      read: (partition) => readAll(connection, topic, partition),
      append: async (partition, value) =>
        void (await producer.send({ topic, messages: [{ partition, value }] })),
    });
  } finally {
    over.abort();
    await producer.disconnect();
  }
}

/**
 * Returns a partition once it can be read and meets the condition. A cut, or a stopped broker, may
 * delay that: then the topic is opened again.
 */
export function contentOf(
  kafka: KafkaCluster,
  topic: string,
  isFit: (content: Content) => boolean = () => true,
  partition = 0,
): Promise<Content> {
  let last = 'it was never read';
  const what = `${topic} is read, and as it should be`;
  const details = (): string => `, at last: ${last}`;
  const awaited = ({ read }: OpenTopic): Promise<Content> =>
    eventually(
      what,
      async () => {
        const content = await read(partition);
        last = `${content.values.length} records, ${content.start} to ${content.end}`;
        return isFit(content) && content;
      },
      { details },
    );
  const ask = async (): Promise<Content | false> => {
    try {
      return await withTopic(kafka, topic, awaited);
    } catch (error) {
      last = String(error);
      return false;
    }
  };
  return eventually(what, ask, { details });
}

async function readAll(
  connection: ClusterConnection,
  topic: string,
  partition: number,
): Promise<Content> {
  // Before the records: what is cut while they are read is not missing from them.
  const start = (await connection.offsetsOf([partition], 'start')).get(partition) ?? 0n;
  const records = await readToEnd(connection, partition, { topic, clock: monotonicClock, limitMs });
  const values = records.map(({ value }) =>
    value === null ? null : Buffer.from(value).toString('utf8'),
  );
  return { values, start, end: records.at(-1)?.nextOffset ?? start };
}
