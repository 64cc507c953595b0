// The reply to a fetch, as KafkaJS decodes it. KafkaJS types it as `any`, so this file declares the
// fields that the adapter uses.
import type { FetchedPartition, FetchedRecord } from '../connection/fetched-partition.ts';

/** A decoded reply of KafkaJS. */
interface Reply {
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly ReplyPartition[];
  }[];
}

interface ReplyPartition {
  readonly partition: number;
  readonly highWatermark: string;
  readonly lastStartOffset?: string;
  readonly messages: readonly ReplyMessage[];
}

interface ReplyMessage {
  readonly offset: string;
  readonly timestamp: string;
  readonly value: Uint8Array | null;
  readonly isControlRecord?: boolean;
  readonly batchContext?: {
    readonly firstOffset: string;
    readonly lastOffsetDelta: number;
    readonly partitionLeaderEpoch: number;
    readonly timestampType: number;
  };
}

/** KafkaJS's constant for time stamps that the broker set. */
const logAppendTime = 1;

/** Returns the partitions of a reply about one topic. */
export function partitionsIn(reply: Reply): readonly FetchedPartition[] {
  return reply.responses.flatMap(({ partitions }) =>
    partitions.map(({ partition, highWatermark, lastStartOffset, messages }) => ({
      partition,
      highWatermark: BigInt(highWatermark),
      logStart: BigInt(lastStartOffset ?? 0),
      records: messages.map(recordIn),
    })),
  );
}

function recordIn({
  offset,
  timestamp,
  value,
  isControlRecord = false,
  batchContext,
}: ReplyMessage): FetchedRecord {
  const own = BigInt(offset);
  return {
    offset: own,
    value,
    writtenMs: Number(timestamp),
    stampedMs: batchContext?.timestampType === logAppendTime ? Number(timestamp) : undefined,
    epoch: batchContext?.partitionLeaderEpoch,
    isControl: isControlRecord,
    nextOffset: batchContext
      ? BigInt(batchContext.firstOffset) + BigInt(batchContext.lastOffsetDelta) + 1n
      : own + 1n,
  };
}
