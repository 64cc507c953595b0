import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';
import { monotonicClock } from '@leadership/core/adapter';
import { HealthReporter, inFlight, manyListeners } from '@leadership/core/internal/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ShardUpdate } from '../../src/stream/follow-shards.ts';
import { listen } from '../../src/stream/listen.ts';
import { readRate } from '../../src/stream/read-rate.ts';
import { fakeHost } from '../support/fake-host.ts';
import { type PlainStream, plainStream, shardOf } from '../support/plain-stream.ts';
import { swallow } from '../support/plain-table.ts';

const refusesMs = 500;
const [firstMs, lastMs] = [100, 400];
let stream: PlainStream;
let stop: AbortController;
beforeEach(() => {
  vi.useFakeTimers();
  stream = plainStream(shardOf('s0', 0, 9));
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
const failing = (code: LeadershipErrorCode) => () =>
  Promise.reject(new LeadershipError(code, code));

function listening(refuses: number = refusesMs) {
  const host = fakeHost('a');
  const updates: ShardUpdate[] = [];
  const troubles = new HealthReporter(host, 'warning');
  const newReadRate = () => readRate({ readers: () => 1, lastMs: 1000, random: () => 0.5 });
  const following = {
    stream,
    keys: [5n],
    clock: monotonicClock,
    limitMs: 1000,
    newReadRate,
    busy: inFlight(),
    troubles,
  };
  const backOff = { firstMs, lastMs, random: () => 1 };
  let outcome = 'pending';
  listen(
    { following, clock: monotonicClock, backOff, troubles, refusesMs: refuses },
    (item) => updates.push(item),
    stop.signal,
  ).then(
    () => {
      outcome = 'resolved';
    },
    (error: Error) => {
      outcome = `rejected ${error.message}`;
    },
  );
  const texts = () => updates.flatMap((item) => (item.kind === 'records' ? item.texts : []));
  return {
    host,
    outcome: () => outcome,
    texts,
    openings: () => stream.asked.filter(({ kind }) => kind === 'shards').length,
  };
}

describe('listening to a stream', () => {
  it('has begun with the first answer, and leaves no timer but that of the next read', async () => {
    const one = listening();
    await pass(0);
    expect(one.outcome()).toBe('resolved');
    expect(vi.getTimerCount()).toBe(1);
    stream.in('s0').texts.push('a');
    await pass(1000);
    expect(one.texts()).toEqual(['a']);
    expect(one.host.calls).toEqual([]);
  });

  it('begins later if no answer arrives in time', async () => {
    stream.before = swallow;
    const one = listening();
    await pass(refusesMs - 1);
    expect(one.outcome()).toBe('pending');
    await pass(1);
    expect(one.outcome()).toBe('resolved');
  });

  it('begins later if a request is throttled: the caller does not wait', async () => {
    stream.before = ({ kind }) => (kind === 'shards' ? undefined : failing('unreachable')());
    const one = listening();
    await pass(0);
    expect(one.outcome()).toBe('resolved');
  });

  it('begins later if the stream is unreachable: that is a warning until it is reached', async () => {
    stream.before = failing('unreachable');
    const one = listening();
    await pass(0);
    expect([one.outcome(), [...one.host.warnings]]).toEqual(['resolved', ['unreachable']]);
    stream.before = undefined;
    await pass(firstMs);
    expect([...one.host.warnings]).toEqual([]);
  });

  it.each<LeadershipErrorCode>(['unauthorized', 'misconfigured-backend'])(
    'is refused for good: %s',
    async (code) => {
      stream.before = failing(code);
      const one = listening();
      await pass(0);
      expect(one.outcome()).toBe(`rejected ${code}`);
      await pass(10_000);
      expect([one.openings(), one.host.calls]).toEqual([1, []]);
    },
  );

  it.each<[string, () => Promise<ReturnType<typeof listening>>]>([
    [
      'the first answer',
      async () => {
        const one = listening();
        await pass(0);
        return one;
      },
    ],
    [
      'the time for a refusal',
      async () => {
        stream.before = swallow;
        const one = listening();
        await pass(refusesMs);
        return one;
      },
    ],
    ['the start, for a caller that accepts none', () => Promise.resolve(listening(0))],
  ])(
    'is not refused after %s: then a refusal is a warning, and it goes on',
    async (_what, begun) => {
      const one = await begun();
      stream.before = failing('unauthorized');
      await pass(2000);
      expect([one.outcome(), [...one.host.warnings]]).toEqual(['resolved', ['unauthorized']]);
      stream.before = undefined;
      await pass(lastMs);
      stream.in('s0').texts.push('a');
      await pass(1000);
      expect([one.host.warnings.size, one.texts()]).toEqual([0, ['a']]);
    },
  );

  it('goes on after a failure, with longer and longer pauses', async () => {
    const one = listening();
    await pass(0);
    stream.before = failing('misconfigured-backend');
    // Until the next read, and then three pauses: one, two and four times the first one.
    await pass(223 + 7 * firstMs);
    expect(one.openings()).toBe(4);
  });

  it('ends with its signal, also before it has begun', async () => {
    stream.before = swallow;
    const one = listening();
    await pass(10);
    stop.abort();
    await pass(0);
    expect(one.outcome()).toBe('resolved');
    expect(vi.getTimerCount()).toBe(0);
  });
});
