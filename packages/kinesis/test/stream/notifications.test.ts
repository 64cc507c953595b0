import { LeadershipError } from '@leadership/core';
import { manyListeners } from '@leadership/core/internal/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { formatNotification } from '../../src/stream/notification.ts';
import { readingMs } from '../../src/stream/read-rate.ts';
import { streamNotifications } from '../../src/stream/stream-notifications.ts';
import type { Notifications } from '../../src/table/notifications.ts';
import { type Store, storeOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';
import { type PlainStream, plainStream } from '../support/plain-stream.ts';
import { plainTable, swallow } from '../support/plain-table.ts';

const group = 'g';
/** A refusal counts for T/4 after the start: the poll interval. */
const thresholdMs = 4000;
const refusesMs = thresholdMs / 4;
let stream: PlainStream;
let stop: AbortController;
let store: Store;
let host: ReturnType<typeof fakeHost>;
beforeEach(() => {
  vi.useFakeTimers();
  stream = plainStream({ id: 's0', firstKey: 0n, lastKey: 2n ** 128n - 1n });
  host = fakeHost('a');
  store = storeOf({ table: plainTable(), group, thresholdMs }, { ...host, random: () => 0.5 });
  stop = new AbortController();
  manyListeners(stop.signal);
});
afterEach(async () => {
  stop.abort();
  // Loops of the test end here, while its clock still runs.
  await pass(0);
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const appended = (): number => stream.asked.filter(({ kind }) => kind === 'append').length;
const denied = (kind: string) => (asked: { readonly kind: string }) =>
  asked.kind === kind
    ? Promise.reject(new LeadershipError('unauthorized', `${kind} is denied`))
    : undefined;

/** Listens, and counts the notifications. */
function listening(notifications: Notifications) {
  let [rings, outcome] = [0, 'pending'];
  const ring = (): void => {
    rings += 1;
  };
  notifications.listen(ring, stop.signal).then(
    () => {
      outcome = 'resolved';
    },
    (error: Error) => {
      outcome = error.message;
    },
  );
  return { rings: () => rings, outcome: () => outcome };
}

describe('notifications', () => {
  it.each<[string, readonly string[], number]>([
    ['of another member', [formatNotification(group, 'b')], 1],
    ['of this member are none', [], 0],
    ['of another group are none', [formatNotification('another', 'b')], 0],
    ['that are garbage are none', ['', 'null', '{"kind":"wake-up"}'], 0],
    [
      'among others, in one read, are one',
      ['', formatNotification(group, 'b'), formatNotification(group, 'c'), ''],
      1,
    ],
  ])('%s', async (_what, texts, rings) => {
    const one = listening(streamNotifications(store, stream, true));
    await pass(0);
    stream.in('s0').texts.push(...texts, formatNotification(group, store.host.incarnation));
    await pass(2 * readingMs(1));
    expect(one.rings()).toBe(rings);
  });

  it('are read less often the more members there are', async () => {
    listening(streamNotifications(store, stream, true));
    store.seen(['b', 'c', 'd']);
    await pass(10 * readingMs(4) - 1);
    expect(stream.asked.filter(({ kind }) => kind === 'read')).toHaveLength(10);
  });
});

describe('the first listening', () => {
  it('greets, so that a missing right to write is found at once', async () => {
    stream.before = denied('append');
    const one = listening(streamNotifications(store, stream, true));
    await pass(0);
    expect(one.outcome()).toBe('append is denied');
  });

  it('does not greet for an observer', async () => {
    const one = listening(streamNotifications(store, stream, false));
    await pass(0);
    expect([one.outcome(), appended()]).toEqual(['resolved', 0]);
  });

  it.each(['append', 'shards'])(
    'does not wait for longer than the time for a refusal: %s',
    async (kind) => {
      stream.before = (asked) => (asked.kind === kind ? swallow() : undefined);
      const one = listening(streamNotifications(store, stream, true));
      await pass(refusesMs - 1);
      expect(one.outcome()).toBe('pending');
      await pass(1);
      expect(one.outcome()).toBe('resolved');
    },
  );

  it('is refused with the right to read, and a later one is not: that is a warning', async () => {
    stream.before = denied('read');
    const notifications = streamNotifications(store, stream, true);
    const first = listening(notifications);
    await pass(0);
    expect(first.outcome()).toBe('read is denied');
    const greetings = appended();
    const second = listening(notifications);
    await pass(refusesMs);
    expect([second.outcome(), [...host.warnings], appended()]).toEqual([
      'resolved',
      ['read is denied'],
      greetings,
    ]);
  });
});

describe('after close', () => {
  it('nothing is sent, and no warning remains', async () => {
    stream.before = denied('append');
    const notifications = streamNotifications(store, stream, true);
    notifications.notify();
    await pass(0);
    expect([...host.warnings]).toEqual(['append is denied']);
    notifications.close();
    expect(host.warnings.size).toBe(0);
    notifications.notify();
    await pass(0);
    expect(appended()).toBe(1);
  });
});
