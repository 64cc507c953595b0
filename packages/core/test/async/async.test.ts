import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { deferred } from '../../src/async/deferred.ts';
import { follow } from '../../src/async/follow.ts';
import { inFlight } from '../../src/async/in-flight.ts';
import { latestValue, nextWake } from '../../src/async/latest-value.ts';
import { notifier } from '../../src/async/notifier.ts';
import { asyncQueue } from '../../src/async/queue.ts';
import { retry } from '../../src/async/retry.ts';
import { sleep } from '../../src/async/sleep.ts';
import { withTimeout } from '../../src/async/with-timeout.ts';
import type { Clock } from '../../src/time/clock.ts';
import type { Instant } from '../../src/time/instant.ts';
import { manualClock, turn } from '../support/manual-clock.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;
const backOff = { firstMs: 10, lastMs: 40, random: () => 1 };

describe('a queue', () => {
  it('yields everything pushed before and during the drain, in order', async () => {
    const stop = new AbortController();
    const values = asyncQueue<number>();
    values.push(1);
    const drain = values.drain(stop.signal);
    values.push(2);
    expect((await drain.next()).value).toBe(1);
    expect((await drain.next()).value).toBe(2);
    const third = drain.next();
    values.push(3);
    expect((await third).value).toBe(3);
  });

  it('ends when its signal aborts while it waits, and leaves no listener behind', async () => {
    const stop = new AbortController();
    const end = asyncQueue<number>().drain(stop.signal).next();
    await turn();
    stop.abort();
    expect((await end).done).toBe(true);
    expect(listeners(stop.signal)).toBe(0);
  });

  it('ends when its signal aborts while a value is in flight', async () => {
    const stop = new AbortController();
    const values = asyncQueue<number>();
    values.push(1);
    const drain = values.drain(stop.signal);
    await drain.next();
    const end = drain.next();
    stop.abort();
    expect((await end).done).toBe(true);
  });
});

describe('the next wake', () => {
  it('resolves at once if the signal has already aborted', async () => {
    const wakers = new Set<() => void>();
    await nextWake(wakers, AbortSignal.abort());
    expect(wakers.size).toBe(0);
  });
});

/** Returns whether the promise has resolved by now. */
function settledOf(promise: Promise<unknown>): () => Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  return async () => {
    await turn();
    return settled;
  };
}

const inOneHundred = (clock: Clock): Instant => (clock.now() + 100) as Instant;

describe('a notifier', () => {
  it('wakes at its instant, and not earlier', async () => {
    const clock = manualClock();
    const woken = settledOf(notifier(clock).until(inOneHundred(clock)));
    await clock.pass(99);
    expect(await woken()).toBe(false);
    await clock.pass(1);
    expect(await woken()).toBe(true);
  });

  it('wakes as soon as it is rung, and leaves no timer behind', async () => {
    const clock = manualClock();
    const { notify: ring, until } = notifier(clock);
    const woken = settledOf(until(inOneHundred(clock)));
    ring();
    expect(await woken()).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('remembers a ring for one wait', async () => {
    const clock = manualClock();
    const { notify: ring, until } = notifier(clock);
    ring();
    ring();
    await until(inOneHundred(clock));
    expect(clock.pending).toBe(0);
    expect(await settledOf(until(inOneHundred(clock)))()).toBe(false);
  });
});

describe('a tracker of operations in flight', () => {
  it('waits for all operations, including later and failing ones', async () => {
    const clock = manualClock();
    const { track: underWay, settled: over } = inFlight();
    const first = deferred<void>();
    const second = deferred<void>();
    const outcome = underWay(first.promise).catch(() => 'failed');
    const isOver = settledOf(over(clock, 1000));
    void underWay(second.promise);
    first.reject(new Error('it failed'));
    expect(await outcome).toBe('failed');
    expect(await isOver()).toBe(false);
    second.resolve();
    expect(await isOver()).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('does not wait longer than the limit', async () => {
    const clock = manualClock();
    const { track: underWay, settled: over } = inFlight();
    void underWay(new Promise(() => undefined));
    const isOver = settledOf(over(clock, 1000));
    await clock.pass(999);
    expect(await isOver()).toBe(false);
    await clock.pass(1);
    expect(await isOver()).toBe(true);
  });

  it('resolves at once if there are no operations', async () => {
    const clock = manualClock();
    await inFlight().settled(clock, 1000);
    expect(clock.pending).toBe(0);
  });
});

describe('a latest value', () => {
  it('is empty at first; every reader sees the newest value and skips those it was too slow for', async () => {
    const value = latestValue<number>();
    const follower = value.follow();
    const first = follower.next();
    value.set(1);
    expect((await first).value).toBe(1);
    value.set(2);
    value.set(3);
    expect((await follower.next()).value).toBe(3);
    expect((await value.follow().next()).value).toBe(3);
  });

  it('leaves no listener behind when the signal aborts', async () => {
    const stop = new AbortController();
    const end = latestValue<number>().follow(stop.signal).next();
    await turn();
    stop.abort();
    expect((await end).done).toBe(true);
    expect(listeners(stop.signal)).toBe(0);
  });
});

describe('a pause', () => {
  it('lasts exactly as long as specified by its clock, and leaves nothing behind', async () => {
    const clock = manualClock();
    const stop = new AbortController();
    let isOver = false;
    void sleep(clock, 50, stop.signal).then(() => {
      isOver = true;
    });
    await clock.pass(49);
    expect(isOver).toBe(false);
    await clock.pass(1);
    expect(isOver).toBe(true);
    expect([clock.pending, listeners(stop.signal)]).toEqual([0, 0]);
  });

  it('ends at once when the signal aborts or has aborted', async () => {
    const clock = manualClock();
    const stop = new AbortController();
    const paused = sleep(clock, 50, stop.signal);
    stop.abort();
    await paused;
    await sleep(clock, 50, stop.signal);
    expect(clock.pending).toBe(0);
  });
});

describe('a request with a time limit', () => {
  const until = new AbortController().signal;
  const never = (): Promise<never> => new Promise(() => undefined);

  it('settles like the call, and leaves nothing behind', async () => {
    const clock = manualClock();
    const limit = { clock, limitMs: 20, signal: until };
    expect(await withTimeout(limit, () => Promise.resolve(1))).toBe(1);
    await expect(withTimeout(limit, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    const sync = (): never => {
      throw new Error('sync');
    };
    await expect(withTimeout(limit, sync)).rejects.toThrow('sync');
    expect([clock.pending, listeners(until)]).toEqual([0, 0]);
  });

  it('is rejected at the limit, and its signal aborts', async () => {
    const clock = manualClock();
    let signal: AbortSignal | undefined;
    const answer = withTimeout({ clock, limitMs: 20, signal: until }, (limit) => {
      signal = limit;
      return never();
    });
    await Promise.all([expect(answer).rejects.toThrow('no answer within 20 ms'), clock.pass(20)]);
    expect(signal?.aborted).toBe(true);
    expect([clock.pending, listeners(until)]).toEqual([0, 0]);
  });

  it('is rejected once its own signal aborts', async () => {
    const clock = manualClock();
    const stop = new AbortController();
    const answer = withTimeout({ clock, limitMs: 20, signal: stop.signal }, never);
    stop.abort();
    await expect(answer).rejects.toThrow('aborted while waiting for the answer');
    expect([clock.pending, listeners(stop.signal)]).toEqual([0, 0]);
  });
});

describe('retry', () => {
  it('doubles the back-off up to the last delay, and resets it after a success', async () => {
    const clock = manualClock(0);
    const stop = new AbortController();
    const triedAt: number[] = [];
    const attempt = async (succeeded: () => void): Promise<void> => {
      triedAt.push(clock.now());
      if (triedAt.length === 5) succeeded();
      throw new Error('no');
    };
    void retry({ attempt, broke: () => true }, backOff, clock, stop.signal);
    await clock.pass(200);
    expect(triedAt.slice(0, 7)).toEqual([0, 10, 30, 70, 110, 120, 140]);
    stop.abort();
    await turn();
    expect(clock.pending).toBe(0);
  });

  it('reports every error, including synchronous throws and unexpected ends, and stops when broke returns false', async () => {
    const clock = manualClock();
    const reported: unknown[] = [];
    const broke = (error: unknown): boolean => {
      reported.push(String(error));
      return reported.length < 2;
    };
    const attempts = [
      (): Promise<void> => {
        throw new Error('sync');
      },
      (): Promise<void> => Promise.resolve(),
    ];
    const trying = retry(
      { attempt: () => attempts[reported.length]?.() ?? Promise.resolve(), broke },
      backOff,
      clock,
      new AbortController().signal,
    );
    await clock.pass(100);
    await trying;
    expect(reported).toEqual(['Error: sync', 'Error: operation ended unexpectedly']);
  });
});

describe('following a stream', () => {
  it('opens it again whenever it fails, even during an item, and calls reopened before', async () => {
    const clock = manualClock();
    const stop = new AbortController();
    const reported: unknown[] = [];
    const broke = (error: unknown): boolean => {
      reported.push(String(error));
      return true;
    };
    async function* open(): AsyncGenerator<number> {
      try {
        yield 1;
        yield 2;
      } finally {
        reported.push('closed');
      }
    }
    const each = (item: number): void => {
      reported.push(item);
      if (item === 2) throw new Error('too much');
    };
    void follow(
      { open, each, broke, reopened: () => reported.push('again') },
      backOff,
      clock,
      stop.signal,
    );
    await clock.pass(10);
    stop.abort();
    await clock.pass(10);
    expect(reported.slice(0, 6)).toEqual([1, 2, 'closed', 'Error: too much', 'again', 1]);
  });

  it('processes nothing after its signal has aborted', async () => {
    const stop = new AbortController();
    const taken: number[] = [];
    async function* open(): AsyncGenerator<number> {
      yield 1;
      yield 2;
    }
    const each = (item: number): void => {
      taken.push(item);
      stop.abort();
    };
    await follow({ open, each, broke: () => true }, backOff, manualClock(), stop.signal);
    expect(taken).toEqual([1]);
  });
});
