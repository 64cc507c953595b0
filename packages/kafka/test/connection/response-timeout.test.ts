import { monotonicClock } from '@leadership/core/adapter';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ResponseTimeoutError,
  withResponseTimeout,
} from '../../src/connection/response-timeout.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new Promise<never>(() => undefined);

describe('an answer in time', () => {
  it('passes on the answer or its error', async () => {
    expect(await withResponseTimeout(monotonicClock, 100, Promise.resolve(5))).toBe(5);
    await expect(
      withResponseTimeout(monotonicClock, 100, Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('rejects after the limit', async () => {
    const answer = withResponseTimeout(monotonicClock, 100, never).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(99);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(2);
    expect(await answer).toBeInstanceOf(ResponseTimeoutError);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('accepts an answer that arrived during a suspension of the process: sockets are read first', async () => {
    let resolve = (_value: string): void => undefined;
    const answer = withResponseTimeout(
      monotonicClock,
      100,
      new Promise<string>((done) => (resolve = done)),
    );
    // As after a block: the clock has gone on, one timer is due, and what arrived meanwhile is read
    // after it.
    vi.setSystemTime(Date.now() + 5_000);
    await vi.advanceTimersToNextTimerAsync();
    resolve('late, but here');
    expect(await answer).toBe('late, but here');
  });

  it('rejects once the signal aborts', async () => {
    const stop = new AbortController();
    const answer = withResponseTimeout(monotonicClock, 100, never, stop.signal);
    stop.abort();
    await expect(answer).rejects.toThrow(/aborted while waiting/);
    await expect(withResponseTimeout(monotonicClock, 100, never, stop.signal)).rejects.toThrow(
      /aborted while waiting/,
    );
    expect(vi.getTimerCount()).toBe(0);
  });
});
