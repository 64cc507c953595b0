import { createServer, type Socket } from 'node:net';
import { LeadershipError } from '@leadership/core';
import { monotonicClock } from '@leadership/core/adapter';
import { eventually, recordingHost } from '@leadership/testkit/adapter';
import { Kafka, logLevel } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import { openClusterConnection } from '../../src/connection/cluster-connection.ts';
import { groupAssignment } from '../../src/group/assignment.ts';
import { stickyAssigner } from '../../src/group/sticky-assigner.ts';
import type { KafkaClient } from '../../src/kafka-client.ts';
import { kafkajsClient } from '../../src/kafkajs/kafkajs-client.ts';
import type { MemberContext } from '../../src/member-context.ts';
import { administer, type TopicOptions } from '../../src/topic/topic.ts';

/** A server that accepts connections and never answers. */
interface Mute extends AsyncDisposable {
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  /** How many have come. */
  readonly came: number;
}

async function mute(): Promise<Mute> {
  const sockets = new Set<Socket>();
  let came = 0;
  const server = createServer((socket) => {
    came += 1;
    sockets.add(socket);
    // A client that ends its half of the connection has finished.
    socket.on('data', () => undefined).on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it listens on no port');
  return {
    port: address.port,
    sockets,
    get came() {
      return came;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A client that the caller created: only KafkaJS ends its sockets. */
function elsewhere({ port }: Mute): KafkaClient {
  const timeouts = { connectionTimeout: 200, requestTimeout: 200, retry: { retries: 0 } };
  return kafkajsClient(
    new Kafka({ brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING, ...timeouts }),
  );
}

type Options = TopicOptions & { readonly client: KafkaClient };

function topicOptions(client: KafkaClient): Options {
  const what = {
    topic: 't',
    partitions: 1,
    check: 'off',
    use: 'lease',
    thresholdMs: 1000,
  } as const;
  return { ...what, client, clock: monotonicClock, limitMs: 1000, requestTimeoutMs: 1000 };
}

const assigner = stickyAssigner({ topic: 't', partitions: 1, memberInfo: () => undefined });

describe('a call of KafkaJS that is in progress at the disconnect', () => {
  it.each([
    [
      'a connection',
      (options: Options, signal: AbortSignal) => openClusterConnection(options, signal),
    ],
    [
      'a look at the topic',
      (options: Options, signal: AbortSignal) => administer(options, async () => undefined, signal),
    ],
    [
      'a session in the group',
      (options: Options, signal: AbortSignal) =>
        options.client.runGroupSession(
          {
            ...options,
            groupId: 'g',
            sessionTimeoutMs: 6000,
            heartbeatMs: 1000,
            assigner,
            planned: () => undefined,
          },
          signal,
        ),
    ],
  ] as const)('ends first, because it would leave a connection open: %s', async (_what, begin) => {
    await using server = await mute();
    const over = new AbortController();
    const begun = begin(topicOptions(elsewhere(server)), over.signal).catch(
      (error: unknown) => error,
    );
    over.abort();
    const error = await begun;
    expect(error === undefined || error instanceof LeadershipError).toBe(true);
    await eventually('it connects all the same', () => server.came > 0);
    await eventually('and disconnects', () => server.sockets.size === 0);
  });
});

describe('an assignment that is closed', () => {
  it('waits for the temporary member that triggered a rebalance', async () => {
    const host = recordingHost('m');
    const own = {
      topic: 't',
      group: 'g',
      partitions: 1,
      thresholdMs: 10_000,
      sessionTimeoutMs: 6000,
      topicCheck: 'off',
    } as const;
    const context: MemberContext = {
      ...own,
      clock: monotonicClock,
      host,
      client: kafkajsClient({ brokers: ['nowhere:1'] }),
    };
    let sessions = 0;
    let leaveNow = (): void => undefined;
    const assignment = groupAssignment(context, Promise.resolve(), async ({ planned }, signal) => {
      sessions += 1;
      const isTrigger = sessions === 2;
      const share = { session: 1, plan: 1, partitions: [0] };
      if (!isTrigger)
        planned({ members: new Map([[host.incarnation, 1]]), share, strangers: [] }, 1);
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      if (isTrigger) await new Promise<void>((resolve) => (leaveNow = resolve));
    });
    assignment.setCandidate(true);
    await eventually('it is in the group', () => sessions === 1);
    assignment.declined(new Set([0]));
    expect(sessions).toBe(2);
    let isClosed = false;
    const closed = assignment.close().then(() => (isClosed = true));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isClosed).toBe(false);
    leaveNow();
    await closed;
  });
});
