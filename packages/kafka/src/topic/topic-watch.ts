// Checks a member's topic from before its first use until the member closes. An operator may change
// its settings, or delete and recreate it, at any time.
import { LeadershipError } from '@leadership/core';
import { type Host, sleep } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import { inspectTopic, prepareTopic, type TopicOptions } from './topic.ts';
import type { TopicFaults } from './topic-settings.ts';

/** Watches the settings of a topic. */
export interface TopicWatch {
  /**
   * Creates the topic if it is missing, and starts the regular checks. Resolves with `false` if it
   * is missing and `mayCreate` is false. Throws if a setting breaks a guarantee.
   */
  prepare(mayCreate: boolean, signal: AbortSignal): Promise<boolean>;
  /** Withdraws all reports. */
  mendAll(): void;
}

/**
 * The interval of the checks of a topic in use, in milliseconds. A check uses the reader's
 * connections: one request for the partitions, and one or two for the settings, each to at most
 * three brokers.
 */
export const usualCheckMs = 60_000;
/** The interval at which settings that could not be read are requested again, in milliseconds. */
const uncheckedMs = 2_000;

/** Options of {@link topicWatch}. */
export interface TopicWatchOptions {
  readonly topic: TopicOptions;
  readonly host: Pick<Host, 'clock' | 'random' | 'confirmed' | 'trouble' | 'warning'>;
  /** Returns the current connection, if there is one. */
  readonly connection: () => Pick<ClusterConnection, 'admin' | 'answer'> | undefined;
  readonly signal: AbortSignal;
  /** Default {@link usualCheckMs}. */
  readonly everyMs?: number;
}

/**
 * Returns a watch that runs until the signal aborts. It reports a setting that breaks a guarantee,
 * but ends no term, because that would repair nothing. A failed check is not reported: the reader
 * reports a topic that cannot be read.
 */
export function topicWatch({
  topic: options,
  host,
  connection: linkNow,
  signal,
  everyMs = usualCheckMs,
}: TopicWatchOptions): TopicWatch {
  const { clock, check, topic } = options;
  const [troubles, warnings] = [
    faultReporter(topic, new HealthReporter(host)),
    faultReporter(topic, new HealthReporter(host, 'warning')),
  ];
  let isWatching = false;
  let isUnchecked = false;
  const notify = ({ refused, warned, ...faults }: TopicFaults): void => {
    isUnchecked = faults.isUnchecked ?? false;
    troubles.report(refused);
    warnings.report(warned);
  };
  const look = async (): Promise<void> => {
    const connection = linkNow();
    const faults =
      connection &&
      (await inspectTopic(options, connection.admin, connection.answer).catch(() => undefined));
    if (faults && !signal.aborted) notify(faults);
  };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      const spacedMs = isUnchecked ? Math.min(uncheckedMs, everyMs) : everyMs;
      // The random part spreads the checks of the members.
      await sleep(clock, spacedMs * (0.5 + host.random() / 2), signal);
      if (!signal.aborted) await look();
    }
  };
  return {
    async prepare(mayCreate, until) {
      const faults = await prepareTopic(options, mayCreate, until);
      if (faults === undefined) return false;
      notify(faults);
      if (isWatching || check === 'off') return true;
      isWatching = true;
      void watch();
      return true;
    },
    mendAll: () => notify({ refused: [], warned: [] }),
  };
}

/** Returns a reporter that raises each new fault, and withdraws each fault that is corrected. */
function faultReporter(
  topic: string,
  reporter: HealthReporter,
): { report(faults: readonly string[]): void } {
  let known: readonly string[] = [];
  return {
    report(faults) {
      for (const fault of known) if (!faults.includes(fault)) reporter.mend(fault);
      for (const fault of faults)
        reporter.raise(
          fault,
          new LeadershipError('misconfigured-backend', `topic ${topic}: ${fault}`),
        );
      known = faults;
    },
  };
}
