// One stay in the consumer group: from joining it to leaving it, or until it breaks. A consumer that crashed, stopped or sends no
// heartbeats any more is given up, and another one joins: what this member holds does not depend on it.
import { LeadershipError } from '@leadership/core';
import { after, type Clock, type Instant, pause } from '@leadership/core/backend';
import type { Cluster, Consumer, Kafka } from 'kafkajs';
import { askPlan } from '../ask-plan.ts';
import { isNamed, isSaid, kafkaError } from '../errors.ts';
import { type GroupOptions, leavingMs } from '../group-port.ts';
import { letGo } from '../let-go.ts';
import type { Plan } from '../plan.ts';
import { timely } from '../timely.ts';
import type { OpenClient } from './client.ts';
import { mendCluster, type Unpatched } from './own-cluster.ts';

/** A stay by KafkaJS: its consumer, and the clients that it is made of. */
interface KafkajsGroupOptions extends GroupOptions {
  readonly openClient: OpenClient;
  readonly unpatched: Unpatched;
}

/** A coordinator that is just starting, or a rebalance that meets another, is asked again so often before the stay counts as broken. */
const retry = { retries: 4, initialRetryTime: 100, maxRetryTime: 800, restartOnFailure: () => Promise.resolve(false) };
/**
 * KafkaJS asks the wall clock whether a heartbeat is due, and sends none for as long as that was set back by. With this each turn of its
 * loop sends one, which `maxWaitTimeInMs` spaces. A year, in milliseconds.
 */
const everyTurn = -31_536_000_000;

/** Stays in the group until the signal aborts; rejects where it breaks. */
export async function stayInGroup(options: KafkajsGroupOptions, signal: AbortSignal): Promise<void> {
  const { openClient, topic, clock, limitMs, requestTimeoutMs } = options;
  const client = openClient({ requestTimeoutMs, retry });
  const { consumer } = consumerOf(client.kafka, options);
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  let step: Promise<void> = Promise.resolve();
  try {
    const broken = brokenOf(consumer, options, until);
    step = consumer.connect();
    await timely(clock, limitMs, step, until);
    step = consumer.subscribe({ topic });
    await timely(clock, limitMs, step, until);
    // Does not resolve before the first join has, which may wait for members that are dead.
    step = consumer.run({ autoCommit: false });
    await Promise.race([broken, step.then(() => broken)]);
  } catch (error) {
    if (!signal.aborted) throw kafkaError(await reasonFor(error, options, signal), `consumer group ${options.groupId}`);
  } finally {
    over.abort();
    await timely(
      clock,
      leavingMs,
      letGo([step], () => consumer.disconnect()),
    ).catch(() => undefined);
    client.close();
  }
}

function consumerOf(kafka: Kafka, options: KafkajsGroupOptions): { readonly consumer: Consumer; readonly cluster: Cluster | undefined } {
  const { groupId, sessionTimeoutMs, heartbeatMs, assigner } = options;
  const clusters: Cluster[] = [];
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    // A join waits no longer for members that are dead.
    rebalanceTimeout: sessionTimeoutMs,
    heartbeatInterval: everyTurn,
    // With nothing to fetch this is how long KafkaJS sleeps from one heartbeat to the next.
    maxWaitTimeInMs: heartbeatMs,
    partitionAssigners: [
      (parts) => {
        clusters.push(parts.cluster);
        mendCluster(parts.cluster, options.unpatched);
        return assigner;
      },
    ],
    allowAutoTopicCreation: false,
    retry,
  });
  return { consumer, cluster: clusters[0] };
}

/** KafkaJS does not say why it found no coordinator: any broker does, where it is for want of a right. */
async function reasonFor(error: unknown, options: KafkajsGroupOptions, signal: AbortSignal): Promise<unknown> {
  if (!isNamed(error, 'KafkaJSGroupCoordinatorNotFound')) return error;
  const { openClient, clock, limitMs, requestTimeoutMs, groupId, topic } = options;
  const client = openClient({ requestTimeoutMs, retry: { retries: 0 } });
  const { cluster } = consumerOf(client.kafka, options);
  const ask = async (): Promise<void> => {
    await cluster?.connect();
    await cluster?.addTargetTopic(topic);
    const broker = await cluster?.findBroker({ nodeId: String(cluster.getNodeIds()[0]) });
    await broker?.describeGroups({ groupIds: [groupId] });
  };
  const asked = ask();
  const said = await timely(clock, limitMs, asked, signal).catch((reason: unknown) => reason);
  client.close();
  if (cluster) void letGo([asked], () => cluster.disconnect());
  return isSaid(said, 'GROUP_AUTHORIZATION_FAILED') ? said : error;
}

/** Rejects once the stay is over, and resolves when the signal aborts. Tells every plan on the way. */
function brokenOf(consumer: Consumer, options: KafkajsGroupOptions, signal: AbortSignal): Promise<void> {
  const { clock, planned, disturbed, groupId, sessionTimeoutMs } = options;
  const { GROUP_JOIN, CRASH, HEARTBEAT, REBALANCING } = consumer.events;
  let beatAt: Instant | undefined;
  let joined: { readonly plan?: Plan; readonly generation?: number } = {};
  let asking: AbortController | undefined;
  const learn = (more: typeof joined): void => {
    joined = { ...joined, ...more };
    if (joined.plan && !signal.aborted) planned(joined.plan, joined.generation);
  };
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    // A consumer that stops by itself says so before it says why: only the latter is waited for.
    consumer.on(CRASH, ({ payload }) => reject(payload.error));
    consumer.on(REBALANCING, () => {
      // It joins again, and may have to wait for the dead: KafkaJS' own time-outs are for that.
      beatAt = undefined;
      asking?.abort();
      disturbed?.();
    });
    // KafkaJS does not say which generation was joined; the heartbeats in it do.
    consumer.on(HEARTBEAT, ({ payload }) => {
      beatAt = clock.now();
      if (payload.groupGenerationId !== joined.generation) learn({ generation: payload.groupGenerationId });
    });
    consumer.on(GROUP_JOIN, ({ payload }) => {
      beatAt = clock.now();
      joined = {};
      asking?.abort();
      asking = new AbortController();
      disturbed?.();
      const current = AbortSignal.any([signal, asking.signal]);
      // Looked at here too: a plan that was found may be overtaken on its way by the next join.
      planOf(consumer, payload.memberId, options, current).then((plan) => plan && !current.aborted && learn({ plan }), reject);
    });
    void watch(() => beatAt, clock, sessionTimeoutMs, signal).then((isAlive) => {
      if (!isAlive) reject(new LeadershipError('unreachable', `consumer group ${groupId}: no heartbeat got through for a session`));
    });
  });
}

/** The plan of the join that was made last. */
function planOf(consumer: Consumer, memberId: string, options: KafkajsGroupOptions, signal: AbortSignal): Promise<Plan | undefined> {
  const { groupId, topic, assigns, clock, heartbeatMs, sessionTimeoutMs, fits = () => true } = options;
  const describe = (): ReturnType<Consumer['describeGroup']> => consumer.describeGroup();
  const planOf = { memberId, topic, assigns };
  return askPlan({ describe, groupId, planOf, fits, clock, everyMs: heartbeatMs, limitMs: sessionTimeoutMs }, signal);
}

/** Resolves with `false` once no heartbeat came for a session. */
async function watch(beatAt: () => Instant | undefined, clock: Clock, sessionTimeoutMs: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    await pause(clock, sessionTimeoutMs / 2, signal);
    const last = beatAt();
    if (last !== undefined && clock.now() > after(last, sessionTimeoutMs)) return signal.aborted;
  }
  return true;
}
