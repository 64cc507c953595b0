// A Kafka topic as the ledger of core: how records are read, written and pruned.
import { LeadershipError } from '@leadership/core';
import { HealthReporter } from '@leadership/core/internal/engine';
import { formatRecord, type Ledger } from '@leadership/core/internal/lease';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import { limitsOf, type MemberContext, setCandidate } from '../member-context.ts';
import { followTopic } from './follow-topic.ts';
import { formatLeaveNotice, type LeaveNotice } from './leave-notice.ts';
import { type PruningPace, pruning } from './pruning.ts';
import { readPin } from './read-pin.ts';
import { RecordDecoder } from './record-decoder.ts';
import { formatLeaseRequest, topicPartitionOf } from './record-format.ts';
import { sender } from './sender.ts';
import type { TopicOptions } from './topic.ts';
import { oldMs } from './topic-settings.ts';
import { topicWatch, usualCheckMs } from './topic-watch.ts';

/**
 * A cut removes at least 1,000 records, so a new reader reads at most about twice that number. One
 * minute is longer than a change of a partition's leader takes.
 */
const usualPace: LedgerPace = { batch: 1_000, stillMs: 60_000, oldMs, checkMs: usualCheckMs };

/** The intervals and thresholds for the care of the topic. */
export interface LedgerPace extends PruningPace {
  /** The interval of the checks of the topic's settings, in milliseconds. */
  readonly checkMs: number;
}

/** The ledger, with the leave notice that members send each other on the topic. */
export interface KafkaLedger extends Ledger {
  /** Sends a leave notice to the given partitions, ahead of every later write to them. */
  sendLeaveNotice(notice: LeaveNotice, partitions: Iterable<number>): void;
  /** Yields other members' leave notice as they are read. */
  leaveNotices(signal: AbortSignal): AsyncIterable<LeaveNotice>;
}

/**
 * Returns a topic as a ledger: partition p of every group in partition p of the topic. `connected`
 * is called for every new connection.
 */
export function kafkaLedger(
  context: MemberContext,
  connected: () => void,
  pace: LedgerPace = usualPace,
): KafkaLedger {
  const { topic, group, partitions, thresholdMs, clock, host } = context;
  const own = { check: context.topicCheck, use: 'ledger' } as const;
  const topicOptions: TopicOptions = { ...context, ...limitsOf(context), ...own };
  const closed = new AbortController();
  const warnings = new HealthReporter(host, 'warning');
  let connection: ClusterConnection | undefined;
  const sending = sender({ topic, connection: () => connection, ackMs: thresholdMs / 3 });
  const pruner = pruning({
    ...host,
    group,
    topic: topicOptions,
    sender: sending,
    warnings,
    clock,
    pace,
    signal: closed.signal,
  });
  const watch = topicWatch({
    topic: topicOptions,
    host,
    connection: () => connection,
    signal: closed.signal,
    everyMs: pace.checkMs,
  });
  const decoder = new RecordDecoder(group, partitions, pruner.look);
  const follow = followTopic({
    context,
    receiver: decoder,
    gone: () => decoder.gone(),
    missing: () => decoder.gone(),
    appeared: () => decoder.restarted(),
    tooFew: (opened) => readPin(context, opened),
    connected(opened) {
      connection = opened;
      connected();
    },
    prepare: watch.prepare,
  });
  return {
    shape: 'log',
    events: (_registers, signal) => follow(AbortSignal.any([signal, closed.signal])),
    async write(record, signal) {
      if (closed.signal.aborted)
        throw new LeadershipError('closed', `topic ${topic}: the ledger is closed`);
      await sending.send(topicPartitionOf(record.partition), formatRecord(record), signal);
      return 'placed';
    },
    leaseRequests: {
      send: (one, signal) =>
        sending.send(topicPartitionOf(one.partition), formatLeaseRequest(group, one), signal),
      received: (signal) => decoder.leaseRequests.drain(signal),
    },
    setCandidate: (isCandidate) => setCandidate(context, isCandidate),
    reread: (register) => decoder.reread(register),
    sendLeaveNotice(notice, everywhere) {
      const text = formatLeaveNotice(group, notice);
      for (const partition of everywhere)
        sending.send(partition, text, closed.signal).catch(() => undefined);
    },
    leaveNotices: (signal) => decoder.leaveNotices.drain(signal),
    close() {
      closed.abort();
      warnings.mendAll();
      watch.mendAll();
      return Promise.resolve();
    },
  };
}
