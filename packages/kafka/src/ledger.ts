import { LeadershipError } from '@leadership/core';
import { raised } from '@leadership/core/backend';
import { formatRecord, type Ledger } from '@leadership/core/ledger';
import { type Farewell, formatFarewell } from './farewell.ts';
import { followTopic } from './follow-topic.ts';
import { Intake } from './intake.ts';
import type { Link } from './link.ts';
import { pinNews } from './pin-news.ts';
import { type PruningPace, pruning } from './pruning.ts';
import { formatWant, topicPartitionOf } from './read-record.ts';
import { sender } from './sender.ts';
import type { TopicOptions } from './topic.ts';
import { oldMs } from './topic-settings.ts';
import { topicWatch, usualCheckMs } from './topic-watch.ts';
import { limitsOf, type Wiring } from './wiring.ts';

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

/** The ledger, with the farewells that members send each other on the topic. */
export interface KafkaLedger extends Ledger {
  /** Sends a farewell to the given partitions, ahead of every later write to them. */
  farewell(farewell: Farewell, partitions: Iterable<number>): void;
  /** Yields other members' farewells as they are read. */
  farewells(signal: AbortSignal): AsyncIterable<Farewell>;
}

/**
 * Returns a topic as a ledger: partition p of every group in partition p of the topic. `linked` is
 * called for every new connection.
 */
export function kafkaLedger(wiring: Wiring, linked: () => void, pace: LedgerPace = usualPace): KafkaLedger {
  const { topic, group, partitions, thresholdMs, clock, host } = wiring;
  const topicOptions: TopicOptions = { ...wiring, ...limitsOf(wiring), check: wiring.topicCheck, use: 'ledger' };
  const closed = new AbortController();
  const warnings = raised(host, 'warning');
  let link: Link | undefined;
  const sending = sender({ topic, link: () => link, ackMs: thresholdMs / 3 });
  const pruner = pruning({ ...host, group, topic: topicOptions, sender: sending, warnings, clock, pace, signal: closed.signal });
  const watch = topicWatch({ topic: topicOptions, host, link: () => link, signal: closed.signal, everyMs: pace.checkMs });
  const taking = new Intake(group, partitions, pruner.look);
  const follow = followTopic({
    wiring,
    taking,
    gone: () => taking.gone(),
    tooFew: (opened) => pinNews(wiring, opened),
    linked(opened) {
      link = opened;
      linked();
    },
    prepare: watch.prepare,
  });
  return {
    shape: 'log',
    news: (_registers, signal) => follow(AbortSignal.any([signal, closed.signal])),
    async write(record, signal) {
      if (closed.signal.aborted) throw new LeadershipError('closed', `topic ${topic}: the ledger is closed`);
      await sending.send(topicPartitionOf(record.partition), formatRecord(record), signal);
      return 'placed';
    },
    wants: {
      ask: (want, signal) => sending.send(topicPartitionOf(want.partition), formatWant(group, want), signal),
      asked: (signal) => taking.wants.drain(signal),
    },
    reread: (register) => taking.reread(register),
    farewell(farewell, everywhere) {
      const text = formatFarewell(group, farewell);
      for (const partition of everywhere) sending.send(partition, text, closed.signal).catch(() => undefined);
    },
    farewells: (signal) => taking.farewells.drain(signal),
    close() {
      closed.abort();
      warnings.mendAll();
      watch.mendAll();
      return Promise.resolve();
    },
  };
}
