import { LeadershipError } from '@leadership/core';
import type { Clock, Instant } from '@leadership/core/adapter';
import { expect, test } from 'vitest';
import { Link } from '../../src/transport/tcp/link.ts';

/** A link whose every attempt fails. It records the pause after each one. */
function hopeless(random: number) {
  let now = 0;
  let due: { readonly at: number; readonly wake: () => void } | undefined;
  const reported: string[] = [];
  let calls = 0;
  const clock: Clock = {
    now: () => now as Instant,
    wallMicros: () => 0,
    wake(at, wake) {
      due = { at, wake };
      return { [Symbol.dispose]: () => undefined };
    },
  };
  const link = new Link(
    {
      to: 'b',
      partitions: 1,
      clock,
      random: () => random,
      pace: { heartbeatMs: 100, silenceMs: 400, connectMs: 1000, messagesPerSecondMax: 1000 },
      connect: () => {
        calls += 1;
        return new LeadershipError('unreachable', 'the address is unknown');
      },
      opened: () => undefined,
      closed: () => undefined,
      displaced: () => undefined,
      failed: ({ message }) => void reported.push(message),
      dropped: () => undefined,
      over: () => void reported.push('over'),
    },
    true,
  );
  return {
    link,
    reported,
    get calls() {
      return calls;
    },
    /** Advances the clock to the next wake-up. Returns the milliseconds that passed. */
    async passes(): Promise<number> {
      const before = now;
      await settled();
      if (due === undefined) throw new Error('the link has no pending wake-up');
      now = due.at;
      due.wake();
      await settled();
      return now - before;
    },
  };
}

/** Resolves once all pending microtasks have run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each([
  [1, [40, 80, 160, 320, 640, 1000, 1000]],
  [0, [20, 40, 80, 160, 320, 500, 500]],
])(
  'an unreachable member is tried again with doubled pauses, up to a second (dice %d)',
  async (dice, waits) => {
    const way = hopeless(dice);
    for (const ms of waits) expect(await way.passes()).toBe(ms);
    expect(way.calls).toBe(1 + waits.length);
    way.link.cut();
    await way.link.ended;
    // Reported once, because the failure stays the same.
    expect(way.reported).toEqual(['the address is unknown', 'over']);
  },
);

test('a member that has connected is tried at once', async () => {
  const way = hopeless(1);
  for (let times = 0; times < 6; times += 1) await way.passes();
  way.link.retryNow();
  await settled();
  expect(way.calls).toBe(8);
  way.link.cut();
  await way.link.ended;
});
