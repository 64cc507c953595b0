import type { Host } from '@leadership/core/adapter';
import { MembershipShell } from '@leadership/core/internal/engine';
import { recordingHost } from '@leadership/testkit/adapter';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { driftRules } from '../../src/protocol.ts';
import { MemberDriver } from '../../src/source/member-driver.ts';
import { PeerMetadata } from '../../src/source/peer-metadata.ts';
import type { StateStore } from '../../src/source/state-store.ts';
import type { Transport } from '../../src/transport/transport.ts';
import { epochOf, selfNamed, settled } from '../support/test-members.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Ended = 'drained' | 'fenced';

/** A member that is a quorum by itself, on a host whose drains last until the test ends them. */
function alone(store?: StateStore) {
  const drains: ((end: Ended) => void)[] = [];
  const calls: string[] = [];
  let latest: bigint | undefined;
  const host: Host = {
    ...recordingHost('a'),
    granted({ token }) {
      if (token !== latest) calls.push('granted');
      latest = token;
      return 'prolonged';
    },
    lost: () => void calls.push('lost'),
    released: () => void calls.push('released'),
    drain: () => new Promise<Ended>((resolve) => void drains.push(resolve)),
  };
  const nothing = (): void => undefined;
  const transport: Transport = {
    reach: nothing,
    enter: nothing,
    send: nothing,
    isReached: () => false,
    close: () => Promise.resolve(),
    dropped: {} as Transport['dropped'],
  };
  const parts = {
    rules: driftRules,
    shell: new MembershipShell({ host, thresholdMs: 1000, refused: nothing }),
    group: 'g',
    pin: {},
    thresholdMs: 1000,
    keepsGrants: store !== undefined,
  };
  const more = {
    store,
    peerMetadata: new PeerMetadata({ ...host, pin: {}, metadata: {} }),
    open: () => transport,
    api: { weak: nothing, entered: nothing },
  };
  const self = selfNamed('a', { incarnation: host.incarnation });
  const state = settled(
    self,
    epochOf(['a', 'b'], { kind: 'weights', weights: { a: 2 } }),
    host.clock.now(),
  );
  const driver = new MemberDriver({ ...parts, ...more }, state);
  return { driver, drains, calls };
}

/** A member that leads in its second term, while the drain of its first term has not ended. */
async function inItsSecondTerm() {
  const member = alone();
  await vi.advanceTimersByTimeAsync(100);
  member.driver.feed({ kind: 'resign', partition: 0, atLeastMs: 0 });
  member.driver.fence(0, 'drain-timed-out');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(member.calls).toEqual(['granted', 'lost', 'granted']);
  return member;
}

it.each<Ended>(['drained', 'fenced'])(
  'a drain whose term has ended does not end the next term: %s (H2)',
  async (end) => {
    const { drains, calls } = await inItsSecondTerm();
    drains[0]?.(end);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(calls).toEqual(['granted', 'lost', 'granted']);
  },
);

it.each<Ended>(['drained', 'fenced'])(
  'a drain whose term has ended does not end the drain of the next term: %s (H2)',
  async (end) => {
    const { driver, drains, calls } = await inItsSecondTerm();
    driver.feed({ kind: 'resign', partition: 0, atLeastMs: 0 });
    expect(drains).toHaveLength(2);
    drains[0]?.(end);
    await vi.advanceTimersByTimeAsync(500);
    expect(calls).toEqual(['granted', 'lost', 'granted']);
    drains[1]?.('drained');
    await vi.advanceTimersByTimeAsync(500);
    expect(calls).toEqual(['granted', 'lost', 'granted', 'released']);
  },
);

it('a drain that a slow disk has delayed beyond its term does not end the next term (H2)', async () => {
  let written = (): void => undefined;
  let isSlow = false;
  const write = (): Promise<void> =>
    new Promise((resolve) => {
      if (isSlow) written = resolve;
      else resolve();
    });
  const { driver, drains } = alone({ read: () => Promise.resolve(undefined), write });
  await vi.advanceTimersByTimeAsync(100);
  isSlow = true;
  driver.feed({ kind: 'resign', partition: 0, atLeastMs: 0 });
  await vi.advanceTimersByTimeAsync(100);
  expect(drains).toHaveLength(0);
  driver.fence(0, 'drain-timed-out');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(driver.state.claims[0]?.leaseState.kind).toBe('leading');
  isSlow = false;
  written();
  await vi.advanceTimersByTimeAsync(10);
  expect(drains).toHaveLength(1);
  drains[0]?.('fenced');
  await vi.advanceTimersByTimeAsync(10);
  expect(driver.state.claims[0]?.leaseState.kind).toBe('leading');
});
