import { monotonicClock } from '@leadership/core/adapter';
import * as library from '@platformatic/kafka';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GroupSessionOptions } from '../../src/group/group-client.ts';
import { stickyAssigner } from '../../src/group/sticky-assigner.ts';
import { BrokerError } from '../../src/platformatic/broker-error.ts';
import type { Brokers } from '../../src/platformatic/brokers.ts';
import { runGroupSession } from '../../src/platformatic/group.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const options: GroupSessionOptions = {
  topic: 't',
  groupId: 'g',
  clock: monotonicClock,
  sessionTimeoutMs: 6_000,
  heartbeatMs: 1_000,
  limitMs: 5_000,
  requestTimeoutMs: 7_000,
  assigner: stickyAssigner({ topic: 't', partitions: 1, memberInfo: () => undefined }),
  planned: () => undefined,
};

/** Brokers that answer each kind of request by the test's script. */
function played(
  answer: (key: number, request: readonly unknown[]) => unknown,
  to: () => Promise<void> = () => Promise.resolve(),
) {
  const asked: number[] = [];
  const ask = async (
    { key }: { readonly key: number },
    ...request: readonly unknown[]
  ): Promise<unknown> => {
    asked.push(key);
    if (key === library.findCoordinatorV4.api.key) return { coordinators: [{ nodeId: 1 }] };
    return answer(key, request);
  };
  const connection = (): Promise<unknown> => Promise.resolve({ ask });
  const brokers: object = {
    library: () => Promise.resolve(library),
    any: connection,
    to: () => to().then(connection),
    refresh: () => Promise.resolve([]),
    close: () => undefined,
  };
  const count = (api: { readonly key: number }): number =>
    asked.filter((key) => key === api.key).length;
  return { brokers: brokers as Brokers, count };
}

const { joinGroupV9, syncGroupV5, heartbeatV4, describeGroupsV5 } = library;

/** The answer to a member's join, under the id that it asks with. */
const joinedAs = (memberId: unknown): object => ({
  memberId: memberId === '' ? 'm-1' : memberId,
  generationId: 1,
  leader: 'other',
  members: [],
});

const said = (type: string): never => {
  throw new BrokerError(type, type);
};

describe('a session in the group by the second client', () => {
  it('breaks after ten failed joins, and pauses after each of them', async () => {
    const { brokers, count } = played(() => said('REBALANCE_IN_PROGRESS'));
    const stayed = expect(
      runGroupSession(brokers, options, new AbortController().signal),
    ).rejects.toMatchObject({ code: 'unreachable' });
    await vi.advanceTimersByTimeAsync(450);
    expect(count(library.joinGroupV9.api)).toBe(3);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(count(library.joinGroupV9.api)).toBe(10);
    await stayed;
  });

  it('looks up a coordinator that has moved, a limited number of times', async () => {
    const { brokers, count } = played(() => said('NOT_COORDINATOR_FOR_GROUP'));
    const stayed = expect(
      runGroupSession(brokers, options, new AbortController().signal),
    ).rejects.toMatchObject({ code: 'unreachable' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(count(library.findCoordinatorV4.api)).toBe(5);
    await stayed;
  });

  it('ends with its signal during a join, and leaves under its member id', async () => {
    let isNamed = false;
    const { brokers, count } = played((key) => {
      if (key !== library.joinGroupV9.api.key) return {};
      if (isNamed) return new Promise(() => undefined);
      isNamed = true;
      throw Object.assign(new BrokerError('MEMBER_ID_REQUIRED', 'a name first'), {
        memberId: 'm-1',
      });
    });
    const over = new AbortController();
    const stayed = runGroupSession(brokers, options, over.signal);
    await vi.advanceTimersByTimeAsync(10);
    expect(count(library.joinGroupV9.api)).toBe(2);
    over.abort();
    await stayed;
    expect(count(library.leaveGroupV5.api)).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves also if its coordinator has moved a moment ago', async () => {
    const { brokers, count } = played((key) => {
      if (key === joinGroupV9.api.key) return joinedAs('');
      if (key === heartbeatV4.api.key) return said('NOT_COORDINATOR_FOR_GROUP');
      return key === describeGroupsV5.api.key ? new Promise(() => undefined) : {};
    });
    const refresh = () => new Promise<[]>((resolve) => setTimeout(() => resolve([]), 20));
    const over = new AbortController();
    const stayed = runGroupSession(Object.assign(brokers, { refresh }), options, over.signal);
    await vi.advanceTimersByTimeAsync(options.heartbeatMs + 100);
    expect(count(heartbeatV4.api)).toBe(1);
    over.abort();
    await vi.advanceTimersByTimeAsync(100);
    await stayed;
    expect(count(library.leaveGroupV5.api)).toBe(1);
  });

  it('looks up a coordinator again that is not among the known brokers', async () => {
    let isKnown = false;
    const { brokers, count } = played(
      () => new Promise(() => undefined),
      async () => {
        if (!isKnown)
          throw new BrokerError('BROKER_NOT_AVAILABLE', 'broker 1 is not known just now');
      },
    );
    const over = new AbortController();
    const stayed = runGroupSession(brokers, options, over.signal);
    await vi.advanceTimersByTimeAsync(150);
    isKnown = true;
    await vi.advanceTimersByTimeAsync(200);
    expect(count(joinGroupV9.api)).toBe(1);
    over.abort();
    await stayed;
  });

  it('keeps its member id when its generation is over', async () => {
    const joinedWith: unknown[] = [];
    const { brokers } = played((key, request) => {
      if (key === heartbeatV4.api.key) return said('ILLEGAL_GENERATION');
      if (key === describeGroupsV5.api.key) return { groups: [] };
      if (key !== joinGroupV9.api.key) return {};
      joinedWith.push(request[3]);
      return joinedAs(request[3]);
    });
    const over = new AbortController();
    const stayed = runGroupSession(brokers, options, over.signal);
    await vi.advanceTimersByTimeAsync(1_500);
    over.abort();
    await stayed;
    expect(joinedWith).toEqual(['', 'm-1']);
  });

  it('breaks once a request exceeds its limit, including its repetitions', async () => {
    const { brokers, count } = played((key) => {
      if (key !== joinGroupV9.api.key) return {};
      return new Promise((_resolve, reject) =>
        setTimeout(() => reject(new Error('Connection closed')), 3_000),
      );
    });
    const stayed = expect(
      runGroupSession(brokers, options, new AbortController().signal),
    ).rejects.toMatchObject({ code: 'unreachable' });
    let isBroken = false;
    void stayed.then(() => {
      isBroken = true;
    });
    await vi.advanceTimersByTimeAsync(options.requestTimeoutMs + 100);
    expect(isBroken).toBe(true);
    expect(count(joinGroupV9.api)).toBe(3);
    await stayed;
  });

  it('that broke sends no more requests', async () => {
    const closed = new Error('this client is closed');
    let isClosed = false;
    const { brokers, count } = played(
      (key, request) => {
        if (key === joinGroupV9.api.key) return joinedAs(request[3]);
        if (key === heartbeatV4.api.key) return said('GROUP_AUTHORIZATION_FAILED');
        if (key === describeGroupsV5.api.key) return Promise.reject(closed);
        return {};
      },
      () => (isClosed ? Promise.reject(closed) : Promise.resolve()),
    );
    await Promise.all([
      expect(runGroupSession(brokers, options, new AbortController().signal)).rejects.toMatchObject(
        { code: 'unauthorized' },
      ),
      vi.advanceTimersByTimeAsync(1_100),
    ]);
    isClosed = true;
    const asked = count(library.findCoordinatorV4.api);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(count(library.findCoordinatorV4.api)).toBe(asked);
  });

  it('does not join after its signal aborted during the connection to the coordinator', async () => {
    let connected = (): void => undefined;
    const { brokers, count } = played(
      () => new Promise(() => undefined),
      () =>
        new Promise((resolve) => {
          connected = resolve;
        }),
    );
    const over = new AbortController();
    const stayed = runGroupSession(brokers, options, over.signal);
    await vi.advanceTimersByTimeAsync(10);
    over.abort();
    connected();
    await stayed;
    expect(count(joinGroupV9.api)).toBe(0);
  });

  it('counts failed joins in a row: one that succeeds ends the row', async () => {
    let joins = 0;
    const { brokers } = played((key, request) => {
      if (key === describeGroupsV5.api.key) return { groups: [] };
      if (key === heartbeatV4.api.key) return said('REBALANCE_IN_PROGRESS');
      if (key === syncGroupV5.api.key) return {};
      joins += 1;
      return joins % 9 === 0 ? joinedAs(request[3]) : said('REBALANCE_IN_PROGRESS');
    });
    const over = new AbortController();
    const stayed = runGroupSession(brokers, options, over.signal);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(joins).toBeGreaterThan(20);
    over.abort();
    await stayed;
  });

  it('pauses no longer than a heartbeat after a failed join: a short session would end meanwhile', async () => {
    const { brokers, count } = played(() => said('REBALANCE_IN_PROGRESS'));
    const brief = { ...options, sessionTimeoutMs: 600, heartbeatMs: 200 };
    const stayed = expect(
      runGroupSession(brokers, brief, new AbortController().signal),
    ).rejects.toMatchObject({ code: 'unreachable' });
    await vi.advanceTimersByTimeAsync(1_750);
    expect(count(joinGroupV9.api)).toBe(10);
    await stayed;
  });
});
