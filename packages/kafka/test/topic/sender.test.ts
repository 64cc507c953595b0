import { eventually } from '@leadership/testkit/adapter';
import type { Broker } from 'kafkajs';
import { describe, expect, it } from 'vitest';
import type { ClusterConnection } from '../../src/connection/cluster-connection.ts';
import { ResponseTimeoutError } from '../../src/connection/response-timeout.ts';
import { kafkajsBroker } from '../../src/kafkajs/log.ts';
import { sender } from '../../src/topic/sender.ts';

type Request = Parameters<Broker['produce']>[0];

/**
 * Partition p is led by broker p, for p below 2; what is appended is noted. `reached`: what a
 * broker waits for before it can be asked.
 */
function played(reached: Promise<void> = Promise.resolve()) {
  const requests: Request[] = [];
  const produce = (request: Request): Promise<void> => {
    requests.push(request);
    return Promise.resolve();
  };
  const connection: Partial<ClusterConnection> = {
    signal: new AbortController().signal,
    leaderOf: (partition) => (partition < 2 ? partition : -1),
    broker: () => reached.then(() => kafkajsBroker({ produce } as unknown as Broker, 't')),
    withTimeout: (asked) => asked,
    refresh: () => Promise.resolve(),
    endSilent: () => undefined,
  };
  const { send } = sender({
    topic: 't',
    connection: () => connection as ClusterConnection,
    ackMs: 400,
  });
  const sent = (): string[] =>
    requests.flatMap(({ topicData }) =>
      topicData.flatMap(({ partitions }) =>
        partitions.flatMap(({ messages }) => messages.map(({ value }) => String(value))),
      ),
    );
  return { send, requests, sent };
}

const inTime = new AbortController().signal;

describe('an appended record', () => {
  it('is acknowledged by every replica in sync, in the time that a renewal has', async () => {
    const { send, requests } = played();
    await send(0, 'r', inTime);
    expect(requests).toMatchObject([{ acks: -1, timeout: 400 }]);
  });

  it('shares one request per broker with others, in order', async () => {
    const { send, requests, sent } = played();
    await Promise.all([send(0, 'a', inTime), send(1, 'b', inTime), send(0, 'c', inTime)]);
    expect(requests).toHaveLength(2);
    expect(sent()).toEqual(['a', 'c', 'b']);
  });

  it('is not sent after its time is over, but the others of its request are (L4)', async () => {
    let reachedNow = (): void => undefined;
    const { send, sent } = played(new Promise((resolve) => (reachedNow = resolve)));
    const late = new AbortController();
    const sending = [send(0, 'late', late.signal), send(0, 'in time', inTime)];
    await Promise.resolve();
    late.abort();
    reachedNow();
    await Promise.allSettled(sending);
    await eventually('the other one is sent', () => sent().length > 0);
    expect(sent()).toEqual(['in time']);
  });

  it('is not sent at all if none of its records is in time: it rejects', async () => {
    let reachedNow = (): void => undefined;
    const { send, requests } = played(new Promise((resolve) => (reachedNow = resolve)));
    const late = new AbortController();
    const sending = send(0, 'late', late.signal);
    await Promise.resolve();
    late.abort();
    reachedNow();
    await expect(sending).rejects.toMatchObject({ code: 'unreachable' });
    expect(requests).toEqual([]);
  });

  it('rejects if the partition has no leader', async () => {
    const { send, requests } = played();
    await expect(send(7, 'r', inTime)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/no leader/),
    });
    expect(requests).toEqual([]);
  });
});

describe('the connection of a sender', () => {
  /** A sender whose requests are answered by `produce`, and the calls of its connection. */
  function connected(produce: () => Promise<void>, isClosed = false) {
    const calls: string[] = [];
    const closed = new AbortController();
    if (isClosed) closed.abort();
    const connection: Partial<ClusterConnection> = {
      signal: closed.signal,
      leaderOf: () => 1,
      broker: () => Promise.resolve(kafkajsBroker({ produce } as unknown as Broker, 't')),
      withTimeout(asked, limitMs) {
        calls.push(`limit ${limitMs}`);
        return asked;
      },
      refresh: async () => void calls.push('refresh'),
      endSilent: (limitMs) => void calls.push(`end ${limitMs}`),
    };
    const { send } = sender({
      topic: 't',
      connection: () => connection as ClusterConnection,
      ackMs: 400,
    });
    return { sending: send(0, 'r', inTime), calls };
  }

  it('has twice the time of the replicas, because earlier requests may be before this one', async () => {
    const { sending, calls } = connected(() => Promise.resolve());
    await sending;
    expect(calls).toEqual(['limit 800']);
  });

  it('is ended if it is silent for that time', async () => {
    const { sending, calls } = connected(() => Promise.reject(new ResponseTimeoutError(800)));
    await expect(sending).rejects.toMatchObject({ code: 'unreachable' });
    expect(calls).toEqual(['limit 800', 'end 800']);
  });

  it('refreshes the leaders after a refusal', async () => {
    const refused = Object.assign(new Error(), {
      name: 'KafkaJSProtocolError',
      type: 'NOT_LEADER_FOR_PARTITION',
    });
    const { sending, calls } = connected(() => Promise.reject(refused));
    await expect(sending).rejects.toMatchObject({ code: 'unreachable' });
    expect(calls).toEqual(['limit 800', 'refresh']);
  });

  it('sends nothing once it is closed', async () => {
    const { sending, calls } = connected(() => Promise.resolve(), true);
    await expect(sending).rejects.toMatchObject({
      code: 'unreachable',
      message: 'topic t: the client is not connected',
    });
    expect(calls).toEqual([]);
  });
});
