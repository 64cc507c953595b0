// The topic of a member, from before it is first used until it is used no more: its settings may be changed under way, and it may be
// deleted and made again by somebody else.
import { LeadershipError } from '@leadership/core';
import { type Host, pause, type Raised, raised } from '@leadership/core/backend';
import type { Link } from './link.ts';
import { inspectTopic, prepareTopic, type TopicOptions } from './topic.ts';
import type { TopicFaults } from './topic-settings.ts';

/** Looks after the settings of a topic. */
export interface TopicWatch {
  /** Makes the topic where there is none; throws where it breaks a promise. It is looked at again now and then from the first time on. */
  prepare(signal: AbortSignal): Promise<void>;
  /** Tells of nothing any more. */
  mendAll(): void;
}

/**
 * How often a topic in use is checked, over the connections that reading has: one request about its partitions, and one or two about
 * settings, each to three brokers at most. Milliseconds.
 */
export const usualCheckMs = 60_000;
/** How often settings are asked for that could not be read at the start. Milliseconds. */
const uncheckedMs = 2_000;

/** What a watch needs. */
export interface TopicWatchOptions {
  readonly topic: TopicOptions;
  readonly host: Pick<Host, 'trouble' | 'warning' | 'random'>;
  /** The connection there is just now. */
  readonly link: () => Pick<Link, 'admin' | 'answer'> | undefined;
  readonly signal: AbortSignal;
  /** Default {@link usualCheckMs}. */
  readonly everyMs?: number;
}

/**
 * A watch until the signal aborts. What breaks a promise under way is trouble: terms go on, as ending them would mend nothing. A topic
 * that cannot be looked at is left to whoever reads it.
 */
export function topicWatch({ topic: options, host, link: linkNow, signal, everyMs = usualCheckMs }: TopicWatchOptions): TopicWatch {
  const { clock, check, topic } = options;
  const [troubles, warnings] = [telling(topic, raised(host, 'trouble')), telling(topic, raised(host, 'warning'))];
  let isWatching = false;
  let isUnchecked = false;
  const tell = ({ refused, warned, ...faults }: TopicFaults): void => {
    isUnchecked = faults.isUnchecked ?? false;
    troubles.tell(refused);
    warnings.tell(warned);
  };
  const look = async (): Promise<void> => {
    const link = linkNow();
    const faults = link && (await inspectTopic(options, link.admin, link.answer).catch(() => undefined));
    if (faults && !signal.aborted) tell(faults);
  };
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      const spacedMs = isUnchecked ? Math.min(uncheckedMs, everyMs) : everyMs;
      // Not all members at once.
      await pause(clock, spacedMs * (0.5 + host.random() / 2), signal);
      if (!signal.aborted) await look();
    }
  };
  return {
    async prepare(until) {
      tell(await prepareTopic(options, until));
      if (isWatching || check === 'off') return;
      isWatching = true;
      void watch();
    },
    mendAll: () => tell({ refused: [], warned: [] }),
  };
}

/** Says what is wrong for as long as it is. */
function telling(topic: string, told: Raised): { tell(faults: readonly string[]): void } {
  let known: readonly string[] = [];
  return {
    tell(faults) {
      for (const fault of known) if (!faults.includes(fault)) told.mend(fault);
      for (const fault of faults) told.raise(fault, new LeadershipError('misconfigured-backend', `topic ${topic}: ${fault}`));
      known = faults;
    },
  };
}
