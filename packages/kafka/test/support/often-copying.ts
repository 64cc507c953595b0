import type { LeadershipSource } from '@leadership/core';
import { openSource, resolveOptions } from '@leadership/core/adapter';
import { shardedBackend } from '@leadership/core/internal/rows';
import type { KafkaClient } from '../../src/kafka-client.ts';
import { kafkaShards, type RowsPace } from '../../src/rows.ts';
import type { TopicCheck } from '../../src/topic/topic.ts';

/** The members to open. */
export interface OftenCopyingOptions {
  readonly client: KafkaClient;
  readonly topic: string;
  readonly member?: string;
  readonly group?: string;
  readonly topicCheck?: TopicCheck;
  /** Default: after every tenth entry. */
  readonly pace?: RowsPace;
  /** Default 1000: three renewals a second. */
  readonly thresholdMs?: number;
}

/** A member that copies the rows after every tenth entry and cuts below, or at another pace. */
export function oftenCopying({
  client,
  topic,
  member = 'one',
  group = 'g',
  topicCheck = 'safety',
  pace = { copyEvery: 10 },
  thresholdMs = 1000,
}: OftenCopyingOptions): LeadershipSource {
  const options = resolveOptions({ group, member, thresholdMs, partitions: 1 });
  const own = { topic, sessionTimeoutMs: 6000, topicCheck, client, group, partitions: 1 };
  const backend = shardedBackend(options, (host) =>
    kafkaShards({ ...own, thresholdMs, clock: host.clock, host }, pace),
  );
  return openSource(backend, options);
}
