// One session in the consumer group through KafkaJS: from joining to leaving, or until it breaks. A
// consumer that crashed, stopped or sends no heartbeats is replaced by another one. The partitions
// that this member leads do not depend on the consumer.
import { LeadershipError } from '@leadership/core';
import { type Clock, type Instant, sleep } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import type { Cluster, Consumer, Kafka } from 'kafkajs';
import { disconnectWhenIdle } from '../connection/disconnect-when-idle.ts';
import { withResponseTimeout } from '../connection/response-timeout.ts';
import { hasErrorType, isNamed, kafkaError } from '../errors.ts';
import { type GroupSessionOptions, leavingMs } from '../group/group-client.ts';
import type { Plan } from '../group/plan.ts';
import { queryPlan } from '../group/query-plan.ts';
import { patchCluster, type Unpatched } from '../kafkajs-patches/cluster.ts';
import type { OpenClient } from './client.ts';

/** A session, with the factory of its KafkaJS clients. */
interface KafkajsGroupOptions extends GroupSessionOptions {
  readonly openClient: OpenClient;
  readonly unpatched: Unpatched;
}

/**
 * The retries after errors of a starting coordinator, or of overlapping rebalances, before the session
 * counts as broken.
 */
const retry = {
  retries: 4,
  initialRetryTime: 100,
  maxRetryTime: 800,
  restartOnFailure: () => Promise.resolve(false),
};
/**
 * A heartbeat interval of minus one year, in milliseconds. KafkaJS compares the interval with the
 * wall clock, and would stop its heartbeats after the clock was set back. With this value each turn
 * of its loop sends one; `maxWaitTimeInMs` spaces the turns.
 */
const everyTurn = -31_536_000_000;

/** Keeps the member in the group until the signal aborts; rejects if the session breaks. */
export async function runGroupSession(
  options: KafkajsGroupOptions,
  signal: AbortSignal,
): Promise<void> {
  const { openClient, topic, clock, limitMs, requestTimeoutMs } = options;
  const client = openClient({ requestTimeoutMs, retry });
  const { consumer } = consumerOf(client.kafka, options);
  const over = new AbortController();
  const until = AbortSignal.any([signal, over.signal]);
  let step: Promise<void> = Promise.resolve();
  try {
    const broken = brokenOf(consumer, options, until);
    step = consumer.connect();
    await withResponseTimeout(clock, limitMs, step, until);
    step = consumer.subscribe({ topic });
    await withResponseTimeout(clock, limitMs, step, until);
    // Resolves only after the first join, which may wait for dead members.
    step = consumer.run({ autoCommit: false });
    await Promise.race([broken, step.then(() => broken)]);
  } catch (error) {
    if (!signal.aborted)
      throw kafkaError(
        await reasonFor(error, options, signal),
        `consumer group ${options.groupId}`,
      );
  } finally {
    over.abort();
    await withResponseTimeout(
      clock,
      leavingMs,
      disconnectWhenIdle([step], () => consumer.disconnect()),
    ).catch(() => undefined);
    client.close();
  }
}

function consumerOf(
  kafka: Kafka,
  options: KafkajsGroupOptions,
): { readonly consumer: Consumer; readonly cluster: Cluster | undefined } {
  const { groupId, sessionTimeoutMs, heartbeatMs, assigner } = options;
  const clusters: Cluster[] = [];
  const consumer = kafka.consumer({
    groupId,
    sessionTimeout: sessionTimeoutMs,
    // The longest wait of a join for dead members.
    rebalanceTimeout: sessionTimeoutMs,
    heartbeatInterval: everyTurn,
    // KafkaJS has no partitions to fetch here, and sleeps this long between heartbeats.
    maxWaitTimeInMs: heartbeatMs,
    partitionAssigners: [
      (parts) => {
        clusters.push(parts.cluster);
        patchCluster(parts.cluster, options.unpatched);
        return assigner;
      },
    ],
    allowAutoTopicCreation: false,
    retry,
  });
  return { consumer, cluster: clusters[0] };
}

/**
 * KafkaJS does not report why it found no coordinator. If a right is missing, any broker reports
 * that.
 */
async function reasonFor(
  error: unknown,
  options: KafkajsGroupOptions,
  signal: AbortSignal,
): Promise<unknown> {
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
  const said = await withResponseTimeout(clock, limitMs, asked, signal).catch(
    (reason: unknown) => reason,
  );
  client.close();
  if (cluster) void disconnectWhenIdle([asked], () => cluster.disconnect());
  return hasErrorType(said, 'GROUP_AUTHORIZATION_FAILED') ? said : error;
}

/**
 * Rejects once the session breaks, and resolves when the signal aborts. Until then it reports every
 * plan.
 */
function brokenOf(
  consumer: Consumer,
  options: KafkajsGroupOptions,
  signal: AbortSignal,
): Promise<void> {
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
    // A consumer that stops by itself emits STOP before CRASH; only CRASH has the reason.
    consumer.on(CRASH, ({ payload }) => reject(payload.error));
    consumer.on(REBALANCING, () => {
      // The next join may wait for dead members. KafkaJS's own time-outs limit that wait.
      beatAt = undefined;
      asking?.abort();
      disturbed?.();
    });
    // The join event does not name the generation; the heartbeats do.
    consumer.on(HEARTBEAT, ({ payload }) => {
      beatAt = clock.now();
      if (payload.groupGenerationId !== joined.generation)
        learn({ generation: payload.groupGenerationId });
    });
    consumer.on(GROUP_JOIN, ({ payload }) => {
      beatAt = clock.now();
      joined = {};
      asking?.abort();
      asking = new AbortController();
      disturbed?.();
      const current = AbortSignal.any([signal, asking.signal]);
      // Checked here too: the next join may start before this callback runs.
      queryPlan(options, payload.memberId, () => consumer.describeGroup(), current).then(
        (plan) => plan && !current.aborted && learn({ plan }),
        reject,
      );
    });
    void watch(() => beatAt, clock, sessionTimeoutMs, signal).then((isAlive) => {
      if (!isAlive)
        reject(
          new LeadershipError(
            'unreachable',
            `consumer group ${groupId}: no heartbeat got through for a session`,
          ),
        );
    });
  });
}

/** Resolves with `false` once no heartbeat succeeded for a session. */
async function watch(
  beatAt: () => Instant | undefined,
  clock: Clock,
  sessionTimeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    await sleep(clock, sessionTimeoutMs / 2, signal);
    const last = beatAt();
    if (last !== undefined && clock.now() > after(last, sessionTimeoutMs)) return signal.aborted;
  }
  return true;
}
