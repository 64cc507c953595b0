import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { channel } from '../../src/platformatic/channel.ts';
import type { BrokerConnection } from '../../src/platformatic/connection.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface FakeBrokers extends BrokerConnection {
  isRetired: boolean;
  isOpen: boolean;
}

/** Connections whose login is renewed after 700 ms, and expires after 950 ms. */
function played() {
  const opened: FakeBrokers[] = [];
  const refusals: Error[] = [];
  const open = async (): Promise<BrokerConnection> => {
    const refusal = refusals.shift();
    if (refusal) throw refusal;
    const now = performance.now();
    const connection: FakeBrokers = {
      isOpen: true,
      isRetired: false,
      lastReceivedAt: now,
      renewAt: now + 700,
      expiresAt: now + 950,
      ask: () => Promise.reject(new Error('nothing is asked')),
      askPatiently: () => Promise.reject(new Error('nothing is asked')),
      retire() {
        connection.isRetired = true;
      },
      end: () => undefined,
    };
    opened.push(connection);
    return connection;
  };
  return { opened, refusals, channel: channel(open) };
}

describe('a connection to a broker', () => {
  it('is shared by concurrent callers for as long as it is open', async () => {
    const { opened, channel } = played();
    const [one, other] = await Promise.all([channel.connection(), channel.connection()]);
    expect(one).toBe(other);
    expect(await channel.connection()).toBe(one);
    expect(opened).toHaveLength(1);
  });

  it('is replaced once it has ended', async () => {
    const { opened, channel } = played();
    await channel.connection();
    if (opened[0]) opened[0].isOpen = false;
    expect(await channel.connection()).toBe(opened[1]);
  });

  it('is replaced before its login expires, and serves until then: no request waits for a login (KIP-368)', async () => {
    const { opened, channel } = played();
    const first = await channel.connection();
    await vi.advanceTimersByTimeAsync(701);
    expect(await channel.connection()).toBe(first);
    await vi.advanceTimersByTimeAsync(0);
    expect(await channel.connection()).toBe(opened[1]);
    expect(opened[0]?.isRetired).toBe(true);
  });

  it('is not used after its login has expired: then a refused login is reported', async () => {
    const { refusals, channel } = played();
    const first = await channel.connection();
    refusals.push(new Error('refused'), new Error('refused again'));
    await vi.advanceTimersByTimeAsync(701);
    expect(await channel.connection()).toBe(first);
    await vi.advanceTimersByTimeAsync(250);
    await expect(channel.connection()).rejects.toThrow('refused again');
  });

  it('is renewed again after a pause if that failed, and not by every request', async () => {
    const { opened, refusals, channel } = played();
    const first = await channel.connection();
    refusals.push(...Array.from({ length: 9 }, () => new Error('refused')));
    await vi.advanceTimersByTimeAsync(701);
    for (let requests = 0; requests < 5; requests += 1) {
      expect(await channel.connection()).toBe(first);
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(refusals).toHaveLength(8);
    await vi.advanceTimersByTimeAsync(60);
    await channel.connection();
    await vi.advanceTimersByTimeAsync(0);
    expect(refusals).toHaveLength(7);
    refusals.length = 0;
    await vi.advanceTimersByTimeAsync(60);
    await channel.connection();
    await vi.advanceTimersByTimeAsync(0);
    expect(await channel.connection()).toBe(opened[1]);
  });
});
