// The topic of a group: made where there is none, looked at where there is.
import { LeadershipError } from '@leadership/core';
import { type Clock, pause } from '@leadership/core/backend';
import kafkajs, { type Admin, type ConfigResourceTypes, type ITopicMetadata } from 'kafkajs';
import type { OpenClient } from './client.ts';
import { isSaid, kafkaError } from './errors.ts';
import { letGo } from './let-go.ts';
import { timely } from './timely.ts';
import { faultsOf, replicasFor, settingsFor, type TopicFacts, type TopicFaults, type TopicUse } from './topic-settings.ts';

/** `full`: refuses what breaks a promise, and warns of what weakens one. `safety`: only refuses. `off`: looks at nothing. */
export type TopicCheck = 'full' | 'safety' | 'off';

/** A topic that was made is there within some tens of milliseconds, on an idle broker; it is looked for every so often. Milliseconds. */
const lookMs = 30;
const looksMax = 100;

/** Which topic, and what it has to be. */
export interface TopicOptions {
  readonly openClient: OpenClient;
  readonly topic: string;
  readonly partitions: number;
  readonly check: TopicCheck;
  readonly use: TopicUse;
  readonly thresholdMs: number;
  readonly clock: Clock;
  /** How long each question to the brokers may take. Milliseconds. */
  readonly limitMs: number;
  readonly requestTimeoutMs: number;
}

/** A look at the topic, or a change of it: connects, and lets go of the connection whatever happens. */
export async function administer<T>(
  options: TopicOptions,
  act: (admin: Admin, answer: Answer) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { openClient, clock, limitMs, requestTimeoutMs, topic } = options;
  const client = openClient({ requestTimeoutMs, retry: { retries: 0 } });
  const admin = client.kafka.admin({ retry: { retries: 0 } });
  const asking: Promise<unknown>[] = [];
  const answer: Answer = (asked) => {
    asking.push(asked);
    return timely(clock, limitMs, asked, signal);
  };
  try {
    await answer(connected(admin, client.seeds));
    return await act(admin, answer);
  } catch (error) {
    throw kafkaError(error, `topic ${topic}`);
  } finally {
    client.close();
    void letGo(asking, () => admin.disconnect());
  }
}

/** An answer, in time. */
export type Answer = <T>(asked: Promise<T>) => Promise<T>;

/** Makes the topic where there is none; throws where it breaks a promise. Says what weakens one. */
export function prepareTopic(options: TopicOptions, signal: AbortSignal): Promise<TopicFaults> {
  const { topic } = options;
  return administer(
    options,
    async (admin, answer) => {
      const found = (await find(admin, topic, answer)) ?? (await make(admin, options, answer, signal));
      const faults = await judge(options, admin, found, answer);
      if (faults.refused.length > 0) throw new LeadershipError('misconfigured-backend', `topic ${topic}: ${faults.refused.join('; ')}`);
      return faults;
    },
    signal,
  );
}

/** What is wrong with the topic now; nothing where there is none, as whoever reads it finds out. */
export function inspectTopic(options: TopicOptions, signal: AbortSignal): Promise<TopicFaults | undefined> {
  return administer(
    options,
    async (admin, answer) => {
      const found = await find(admin, options.topic, answer);
      return found && judge(options, admin, found, answer);
    },
    signal,
  );
}

async function judge(options: TopicOptions, admin: Admin, found: ITopicMetadata, answer: Answer): Promise<TopicFaults> {
  const { check, use, thresholdMs } = options;
  if (check === 'off') return { refused: [], warned: [] };
  const { refused, warned } = faultsOf(await factsOf(admin, found, check, answer), use, thresholdMs);
  return { refused, warned: check === 'full' ? warned : [] };
}

async function connected(admin: Admin, seeds: number): Promise<void> {
  for (let left = seeds; ; left -= 1) {
    try {
      return await admin.connect();
    } catch (error) {
      if (left <= 1 || !isAway(error)) throw error;
    }
  }
}

function isAway(error: unknown): boolean {
  return kafkaError(error, '').code === 'unreachable';
}

async function find(admin: Admin, topic: string, answer: Answer): Promise<ITopicMetadata | undefined> {
  try {
    const { topics } = await answer(admin.fetchTopicMetadata({ topics: [topic] }));
    return topics.find(({ name }) => name === topic);
  } catch (error) {
    if (isSaid(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return undefined;
    throw error;
  }
}

/** Makes the topic, and waits until it can be used. Who comes second finds it made. */
async function make(admin: Admin, options: TopicOptions, answer: Answer, signal: AbortSignal): Promise<ITopicMetadata> {
  const { topic, partitions, use, clock } = options;
  const { brokers } = await answer(admin.describeCluster());
  const replicationFactor = replicasFor(brokers.length);
  const configEntries = Object.entries(settingsFor(replicationFactor, use)).map(([name, value]) => ({ name, value }));
  const asked = { topics: [{ topic, numPartitions: partitions, replicationFactor, configEntries }], waitForLeaders: false };
  await answer(admin.createTopics(asked)).catch((error: unknown) => {
    throw isForbidden(error) ? new LeadershipError('unauthorized', uncreated(topic), { cause: error }) : error;
  });
  for (let looks = 1; ; looks += 1) {
    await pause(clock, lookMs, signal);
    const made = await find(admin, topic, answer).catch(() => undefined);
    if (made?.partitions.every(({ leader }) => leader >= 0)) return made;
    if (looks === looksMax || signal.aborted) throw new LeadershipError('unreachable', `topic ${topic} was made, but is not there yet`);
  }
}

/** Brokers say of a topic that may not be made what they say of one that may not be read. */
function isForbidden(error: unknown): boolean {
  return isSaid(error, 'TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED');
}

function uncreated(topic: string): string {
  return `topic ${topic}: there is none, and the right to make it is missing: create it, or grant Create on it`;
}

async function factsOf(admin: Admin, { name, partitions }: ITopicMetadata, check: TopicCheck, answer: Answer): Promise<TopicFacts> {
  const replicas = Math.min(...partitions.map((partition) => partition.replicas.length));
  const settings = await settingsOf(admin, kafkajs.ConfigResourceTypes.TOPIC, name, answer);
  const [broker] = check === 'full' ? (await answer(admin.describeCluster())).brokers : [];
  const brokers = broker && (await settingsOf(admin, kafkajs.ConfigResourceTypes.BROKER, String(broker.nodeId), answer));
  const autoCreates = brokers?.get('auto.create.topics.enable') === 'true';
  return { replicas, settings, autoCreates };
}

async function settingsOf(admin: Admin, type: ConfigResourceTypes, name: string, answer: Answer): Promise<ReadonlyMap<string, string>> {
  try {
    const { resources } = await answer(admin.describeConfigs({ resources: [{ type, name }], includeSynonyms: false }));
    return new Map(resources.flatMap(({ configEntries }) => configEntries.map(({ configName, configValue }) => [configName, configValue])));
  } catch (error) {
    if (kafkaError(error, '').code === 'unauthorized') return new Map();
    throw error;
  }
}
