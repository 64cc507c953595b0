// Reads and writes one topic through @platformatic/kafka: the library's requests, on the adapter's
// own connections.
import type { fetchV12 as fetchApi, RecordsBatch } from '@platformatic/kafka';
import type { FetchedRecord } from '../connection/fetched-partition.ts';
import type {
  FetchFrom,
  FetchLimits,
  LogBroker,
  LogClient,
  LogClientOptions,
  PartitionAnswer,
  TopicPartition,
} from '../connection/log-client.ts';
import {
  acksOfAll,
  isTopicKnown,
  readUncommitted,
  timestampOf,
} from '../connection/log-requests.ts';
import { errorOfCode } from './broker-error.ts';
import { type Brokers, responseIn } from './brokers.ts';
import type { BrokerConnection } from './connection.ts';
import type { Library } from './library.ts';

/** The protocol's numbers for the kinds of resources that have settings. */
const [topicResource, brokerResource] = [2, 4] as const;
/** How long replicas may take to remove records. Milliseconds. */
const deleteMs = 5_000;
/**
 * A fetch may wait for T/3 at the broker and ten times T/3 on the way (`adaptive-timeout.ts`);
 * other requests may take T.
 */
const fetchTimes = 4;
/** The protocol's number for an unknown epoch, which the broker does not check. */
const noEpoch = -1;

/** `seeds`: the number of brokers in the configuration. */
export function platformaticLog(
  brokers: Brokers,
  { topic }: LogClientOptions,
  seeds: number,
): LogClient {
  let partitions: readonly TopicPartition[] = [];
  return {
    seeds,
    connect: async () => void (await brokers.any()),
    async refresh() {
      partitions = await brokers.refresh(topic);
    },
    partitions: () => partitions,
    refreshNodes: async () => void (await brokers.refresh()),
    nodes: () => brokers.nodes,
    async broker(node) {
      return brokerOf(brokers, node, topic, await brokers.to(node, 'other'));
    },
    async controller() {
      await brokers.refresh();
      const node = brokers.controller;
      return brokerOf(brokers, node, topic, await brokers.to(node, 'other'));
    },
    endSilent(ms) {
      brokers.endSilent(ms);
      return true;
    },
    close: () => brokers.close(),
    disconnect: () => Promise.resolve(),
  };
}

/**
 * `reached`: the connection for writes. Records that wait for another connection might be sent
 * after their time (L4).
 */
function brokerOf(
  brokers: Brokers,
  node: number,
  topic: string,
  reached: BrokerConnection,
): LogBroker {
  const library = (): Promise<Library> => brokers.library();
  return {
    fetch: (from, limits) => fetch(brokers, node, topic, from, limits),
    async produce(records, timeoutMs) {
      const { produceV9 } = await library();
      const messages = records.flatMap(({ partition, values }) =>
        values.map((value) => ({ topic, partition, value })),
      );
      await reached.ask(produceV9.api, acksOfAll, Math.round(timeoutMs), messages, {});
    },
    async offsets(partitions, which) {
      const { listOffsetsV8 } = await library();
      const asked = partitions.map((partition) => ({
        partitionIndex: partition,
        currentLeaderEpoch: noEpoch,
        timestamp: BigInt(timestampOf[which]),
      }));
      const connection = await brokers.to(node, 'other');
      const { topics } = await connection.ask(listOffsetsV8.api, -1, readUncommitted, [
        { name: topic, partitions: asked },
      ]);
      return new Map(
        topics.flatMap((found) =>
          found.partitions.map(({ partitionIndex, offset }) => [partitionIndex, offset] as const),
        ),
      );
    },
    async knowsTopic() {
      const { metadataV12 } = await library();
      return isTopicKnown(
        (await brokers.to(node, 'other')).ask(metadataV12.api, [topic], false, false),
      );
    },
    async createTopic(
      { partitions: numPartitions, replicas: replicationFactor, settings },
      timeoutMs,
    ) {
      const { createTopicsV7 } = await library();
      const configs = Object.entries(settings).map(([name, value]) => ({ name, value }));
      const made = { name: topic, numPartitions, replicationFactor, assignments: [], configs };
      await (await brokers.to(node, 'other')).ask(createTopicsV7.api, [made], timeoutMs, false);
    },
    async settings(of, names) {
      const { describeConfigsV4 } = await library();
      const [resourceType, resourceName] =
        of === 'topic' ? [topicResource, topic] : [brokerResource, String(node)];
      const asked = [{ resourceType, resourceName, configurationKeys: [...names] }];
      const { results } = await (await brokers.to(node, 'other')).ask(
        describeConfigsV4.api,
        asked,
        false,
        false,
      );
      return new Map(
        results.flatMap(({ configs }) =>
          configs.map(({ name, value }) => [name, value ?? ''] as const),
        ),
      );
    },
    async deleteRecords(partition, below) {
      const { deleteRecordsV2 } = await library();
      const asked = [{ name: topic, partitions: [{ partitionIndex: partition, offset: below }] }];
      await (await brokers.to(node, 'other')).ask(deleteRecordsV2.api, asked, deleteMs);
    },
  };
}

async function fetch(
  brokers: Brokers,
  node: number,
  topic: string,
  from: readonly FetchFrom[],
  { waitMs, minBytes = 1, replyBytes, partitionBytes }: FetchLimits,
): Promise<readonly PartitionAnswer[]> {
  const { fetchV12, protocolErrorsCodesById } = await brokers.library();
  const partitions = from.map(({ partition, position }) => ({
    partition,
    currentLeaderEpoch: noEpoch,
    lastFetchedEpoch: noEpoch,
    fetchOffset: position,
    partitionMaxBytes: partitionBytes,
  }));
  const connection = await brokers.to(node, 'poll');
  // The library calls the name an id, which it is in later versions of the request.
  const topics = [{ topicId: topic, partitions }];
  const answer = await connection
    .askPatiently(
      fetchTimes,
      fetchV12.api,
      Math.round(waitMs),
      minBytes,
      replyBytes,
      readUncommitted,
      0,
      -1,
      topics,
      [],
      '',
    )
    .catch(responseIn<fetchApi.FetchResponse>);
  if (answer.errorCode !== 0) throw errorOfCode(answer.errorCode, protocolErrorsCodesById);
  return answer.responses.flatMap((response) =>
    response.partitions.map(
      ({
        partitionIndex: partition,
        errorCode,
        highWatermark,
        logStartOffset: logStart,
        records,
      }) =>
        errorCode === 0
          ? {
              partition,
              fetched: {
                partition,
                highWatermark,
                logStart,
                records: (records ?? []).flatMap(recordsIn),
              },
            }
          : { partition, error: errorOfCode(errorCode, protocolErrorsCodesById) },
    ),
  );
}

/** The bits of a batch's attributes. */
const [stampedByBroker, isControlBatch] = [0b1000, 0b100000];

/** The records of a batch, as it stands in the log. */
export function recordsIn(batch: RecordsBatch): readonly FetchedRecord[] {
  const {
    firstOffset,
    firstTimestamp,
    maxTimestamp,
    attributes,
    lastOffsetDelta,
    partitionLeaderEpoch: epoch,
  } = batch;
  const isStamped = (attributes & stampedByBroker) !== 0;
  return batch.records.map(({ offsetDelta, timestampDelta, value }) => {
    const writtenMs = Number(isStamped ? maxTimestamp : firstTimestamp + timestampDelta);
    return {
      offset: firstOffset + BigInt(offsetDelta),
      value,
      writtenMs,
      epoch,
      stampedMs: isStamped ? writtenMs : undefined,
      isControl: (attributes & isControlBatch) !== 0,
      nextOffset: firstOffset + BigInt(lastOffsetDelta) + 1n,
    };
  });
}
