// Creates the topic of a group if it does not exist, and checks its settings.
import { LeadershipError } from '@leadership/core';
import { sleep } from '@leadership/core/adapter';
import type { ClusterConnectionOptions } from '../connection/cluster-connection.ts';
import { disconnectWhenIdle } from '../connection/disconnect-when-idle.ts';
import type { TopicPartition } from '../connection/log-client.ts';
import { withResponseTimeout } from '../connection/response-timeout.ts';
import { type TopicAdmin, topicAdmin } from '../connection/topic-admin.ts';
import { hasErrorType, kafkaError } from '../errors.ts';
import {
  checkedSettings,
  faultsOf,
  replicasFor,
  settingsFor,
  type TopicFacts,
  type TopicFaults,
  type TopicUse,
  unchecked,
} from './topic-settings.ts';

/**
 * `full`: refuses settings that break a guarantee, and warns of settings that weaken one. `safety`:
 * only refuses. `off`: checks nothing.
 */
export type TopicCheck = 'full' | 'safety' | 'off';

/**
 * The interval of the requests for a new topic, in milliseconds. On an idle broker the topic exists
 * after some tens of milliseconds.
 */
const checkMs = 30;
/** The number of these requests after which the topic is reported as unavailable. */
const checksMax = 100;

/** The topic, and the requirements on it. */
export interface TopicOptions extends ClusterConnectionOptions {
  readonly partitions: number;
  readonly check: TopicCheck;
  readonly use: TopicUse;
  readonly thresholdMs: number;
}

/** Runs `act` over a separate connection, and closes it afterwards. */
export async function administer<T>(
  options: TopicOptions,
  act: (admin: TopicAdmin, answer: Answer) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { client, clock, limitMs, requestTimeoutMs, topic } = options;
  const log = client.openLog({ topic, requestTimeoutMs });
  const asking: Promise<unknown>[] = [];
  const answer: Answer = (asked) => {
    asking.push(asked);
    return withResponseTimeout(clock, limitMs, asked, signal);
  };
  try {
    await answer(log.connect());
    return await act(topicAdmin(log, requestTimeoutMs), answer);
  } catch (error) {
    throw kafkaError(error, `topic ${topic}`);
  } finally {
    log.close();
    void disconnectWhenIdle(asking, log.disconnect);
  }
}

/** Limits the time of a request. */
export type Answer = <T>(asked: Promise<T>) => Promise<T>;

/**
 * Creates the topic if it does not exist, and returns the faults that weaken a guarantee. Returns
 * `undefined` if it does not exist and `mayCreate` is false, as for an observer. Throws if a
 * setting breaks a guarantee. Does not wait for settings that cannot be read: the result is then marked
 * as unchecked, and the caller checks again later.
 */
export function prepareTopic(
  options: TopicOptions,
  mayCreate: boolean,
  signal: AbortSignal,
): Promise<TopicFaults | undefined> {
  const { topic } = options;
  return administer(
    options,
    async (admin, answer) => {
      const known = await answer(admin.find());
      if (known === undefined && !mayCreate) return undefined;
      const found = known ?? (await createTopic(admin, options, answer, signal));
      const faults = await judge(options, admin, found, answer).catch((error: unknown) => {
        if (signal.aborted) throw error;
        return unchecked(kafkaError(error, 'its settings').message);
      });
      if (faults.refused.length > 0)
        throw new LeadershipError(
          'misconfigured-backend',
          `topic ${topic}: ${faults.refused.join('; ')}`,
        );
      return faults;
    },
    signal,
  );
}

/**
 * Returns the current faults of the topic; `undefined` if it does not exist, which the reader
 * reports.
 */
export async function inspectTopic(
  options: TopicOptions,
  admin: TopicAdmin,
  answer: Answer,
): Promise<TopicFaults | undefined> {
  const found = await answer(admin.find());
  return found && judge(options, admin, found, answer);
}

async function judge(
  options: TopicOptions,
  admin: TopicAdmin,
  found: readonly TopicPartition[],
  answer: Answer,
): Promise<TopicFaults> {
  const { check, use, thresholdMs } = options;
  if (check === 'off') return { refused: [], warned: [] };
  const { refused, warned } = faultsOf(
    await factsOf(admin, found, check, answer),
    use,
    thresholdMs,
  );
  return { refused, warned: check === 'full' ? warned : [] };
}

/**
 * Creates the topic, and waits until it has leaders. Another member may create it at the same time.
 */
async function createTopic(
  admin: TopicAdmin,
  options: TopicOptions,
  answer: Answer,
  signal: AbortSignal,
): Promise<readonly TopicPartition[]> {
  const { topic, partitions, use, clock } = options;
  const replicas = replicasFor(await answer(admin.brokers()));
  await answer(admin.create({ partitions, replicas, settings: settingsFor(replicas, use) })).catch(
    (error: unknown) => {
      if (isForbidden(error))
        throw new LeadershipError('unauthorized', uncreated(topic), { cause: error });
      if (!hasErrorType(error, 'TOPIC_ALREADY_EXISTS')) throw error;
    },
  );
  for (let checks = 1; ; checks += 1) {
    await sleep(clock, checkMs, signal);
    const made = await answer(admin.find()).catch(() => undefined);
    if (made?.every(({ leader }) => leader >= 0)) return made;
    if (checks === checksMax || signal.aborted)
      throw new LeadershipError(
        'unreachable',
        `topic ${topic} was created, but is not available yet`,
      );
  }
}

/**
 * Returns whether the right to create the topic is missing. Brokers use the same error for a topic
 * that may not be read.
 */
function isForbidden(error: unknown): boolean {
  return hasErrorType(error, 'TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED');
}

function uncreated(topic: string): string {
  return `topic ${topic}: it does not exist, and the right to create it is missing: create it, or grant Create on it`;
}

/** Reads the topic's settings: two requests for a full check, one otherwise. */
async function factsOf(
  admin: TopicAdmin,
  found: readonly TopicPartition[],
  check: TopicCheck,
  answer: Answer,
): Promise<TopicFacts> {
  const replicas = Math.min(...found.map((partition) => partition.replicas));
  const settings = await permitted(answer(admin.topicSettings(checkedSettings)));
  const brokers =
    check === 'full'
      ? await permitted(answer(admin.brokerSettings([autoCreation])))
      : new Map<string, string>();
  return { replicas, settings, autoCreates: brokers.get(autoCreation) === 'true' };
}

const autoCreation = 'auto.create.topics.enable';

/** Returns the settings; an empty map if the right to read them is missing. */
async function permitted(
  asked: Promise<ReadonlyMap<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  try {
    return await asked;
  } catch (error) {
    if (kafkaError(error, '').code === 'unauthorized') return new Map();
    throw error;
  }
}
