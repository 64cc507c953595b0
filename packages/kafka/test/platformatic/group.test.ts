import { monotonicClock } from '@leadership/core/backend';
import * as library from '@platformatic/kafka';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GroupOptions } from '../../src/group-port.ts';
import { heldAssigner } from '../../src/held-assigner.ts';
import { BrokerError } from '../../src/platformatic/broker-error.ts';
import type { Brokers } from '../../src/platformatic/brokers.ts';
import { stayInGroup } from '../../src/platformatic/group.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const options: GroupOptions = {
  ...{ topic: 't', groupId: 'g', clock: monotonicClock, sessionTimeoutMs: 6_000, heartbeatMs: 1_000, limitMs: 5_000 },
  ...{ requestTimeoutMs: 7_000, assigner: heldAssigner({ topic: 't', told: () => undefined }), assigns: false, planned: () => undefined },
};

/** Brokers that answer each request by what the test says of its kind. */
function played(answer: (key: number) => unknown) {
  const asked: number[] = [];
  const ask = async ({ key }: { readonly key: number }): Promise<unknown> => {
    asked.push(key);
    if (key === library.findCoordinatorV4.api.key) return { coordinators: [{ nodeId: 1 }] };
    return answer(key);
  };
  const connection = (): Promise<unknown> => Promise.resolve({ ask });
  const brokers: object = {
    ...{
      library: () => Promise.resolve(library),
      any: connection,
      to: connection,
      refresh: () => Promise.resolve([]),
      close: () => undefined,
    },
  };
  const count = (api: { readonly key: number }): number => asked.filter((key) => key === api.key).length;
  return { brokers: brokers as Brokers, count };
}

const said = (type: string): never => {
  throw new BrokerError(type, type);
};

describe('a stay in the group by the second client', () => {
  it('breaks after ten joins that came to nothing, and waits after each of them', async () => {
    const { brokers, count } = played(() => said('REBALANCE_IN_PROGRESS'));
    const stayed = expect(stayInGroup(brokers, options, new AbortController().signal)).rejects.toMatchObject({ code: 'unreachable' });
    await vi.advanceTimersByTimeAsync(450);
    expect(count(library.joinGroupV9.api)).toBe(3);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(count(library.joinGroupV9.api)).toBe(10);
    await stayed;
  });

  it('looks for the coordinator again where it has moved, a few times', async () => {
    const { brokers, count } = played(() => said('NOT_COORDINATOR_FOR_GROUP'));
    const stayed = expect(stayInGroup(brokers, options, new AbortController().signal)).rejects.toMatchObject({ code: 'unreachable' });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(count(library.findCoordinatorV4.api)).toBe(5);
    await stayed;
  });

  it('ends with its signal during a join, and says good-bye by the name that it was given', async () => {
    let isNamed = false;
    const { brokers, count } = played((key) => {
      if (key !== library.joinGroupV9.api.key) return {};
      if (isNamed) return new Promise(() => undefined);
      isNamed = true;
      throw Object.assign(new BrokerError('MEMBER_ID_REQUIRED', 'a name first'), { memberId: 'm-1' });
    });
    const over = new AbortController();
    const stayed = stayInGroup(brokers, options, over.signal);
    await vi.advanceTimersByTimeAsync(10);
    expect(count(library.joinGroupV9.api)).toBe(2);
    over.abort();
    await stayed;
    expect(count(library.leaveGroupV5.api)).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
