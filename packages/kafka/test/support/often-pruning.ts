import type { LeadershipSource } from '@leadership/core';
import { openSource, resolveOptions } from '@leadership/core/adapter';
import { ledgerBackend } from '@leadership/core/internal/lease';
import { exclusiveParts } from '../../src/exclusive-parts.ts';
import type { KafkaClient } from '../../src/kafka-client.ts';
import type { LedgerPace } from '../../src/topic/ledger.ts';
import type { TopicCheck } from '../../src/topic/topic.ts';

/** The members to open. */
export interface OftenPruningOptions {
  readonly client: KafkaClient;
  readonly topic: string;
  readonly member?: string;
  readonly group?: string;
  readonly topicCheck?: TopicCheck;
  /** Default: after every fifth record. */
  readonly pace?: LedgerPace;
  /** Default 1000: three renewals a second. */
  readonly thresholdMs?: number;
}

const often: LedgerPace = { batch: 5, stillMs: 0, oldMs: 60_000, checkMs: 60_000 };

/** A member that cuts after every fifth record, or at another pace. */
export function oftenPruning({
  client,
  topic,
  member = 'one',
  group = 'g',
  topicCheck = 'safety',
  pace = often,
  thresholdMs = 1000,
}: OftenPruningOptions): LeadershipSource {
  const options = resolveOptions({ group, member, thresholdMs, partitions: 1 });
  const own = {
    topic,
    sessionTimeoutMs: 6000,
    topicCheck,
    client,
    group,
    partitions: 1,
    thresholdMs,
  };
  const backend = ledgerBackend(options, (host) =>
    exclusiveParts({ ...own, clock: host.clock, host }, pace),
  );
  return openSource(backend, options);
}
