import { LeadershipError } from '@leadership/core';
import { monotonicClock } from '@leadership/core/adapter';
import { HealthReporter, inFlight, manyListeners } from '@leadership/core/internal/engine';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { followShards, type ShardUpdate } from '../../src/stream/follow-shards.ts';
import { readingMs, readRate } from '../../src/stream/read-rate.ts';
import { fakeHost } from '../support/fake-host.ts';
import { type PlainStream, plainStream, shardOf } from '../support/plain-stream.ts';
import { swallow } from '../support/plain-table.ts';

const limitMs = 1000;
/** The pause of a single reader: timers have whole milliseconds. */
const paceMs = Math.ceil(readingMs(1));
const away = () => Promise.reject(new LeadershipError('unreachable', 'away'));
let stop: AbortController;
beforeEach(() => {
  vi.useFakeTimers();
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

/** Follows the shards of these hash keys at the rate of a single reader. */
function following(stream: PlainStream, ...keys: readonly number[]) {
  const host = fakeHost('a');
  const updates: ShardUpdate[] = [];
  let hesitations = 0;
  let ended: 'no' | 'yes' | Error = 'no';
  const options = {
    stream,
    keys: keys.map(BigInt),
    clock: monotonicClock,
    limitMs,
    busy: inFlight(),
    troubles: new HealthReporter(host, 'warning'),
    newReadRate: () => readRate({ readers: () => 1, lastMs: 1000, random: () => 0.5 }),
    hesitated: () => {
      hesitations += 1;
    },
  };
  const follow = async (): Promise<void> => {
    for await (const item of followShards(options, stop.signal)) updates.push(item);
  };
  const done = follow().then(
    () => {
      ended = 'yes';
    },
    (error: Error) => {
      ended = error;
    },
  );
  return {
    host,
    done,
    ended: () => ended,
    hesitations: () => hesitations,
    texts: () => updates.flatMap((item) => (item.kind === 'records' ? item.texts : [])),
    listening: () =>
      updates.flatMap((item) => (item.kind === 'listening' ? [item.keys.map(Number)] : [])),
    receivedAt: () => updates.flatMap((item) => (item.kind === 'records' ? [item.receivedAt] : [])),
  };
}

const reads = (stream: PlainStream, shard?: string) =>
  stream.asked.filter(({ kind, what }) => kind === 'read' && what === (shard ?? what)).length;

describe('a shard', () => {
  it('is read from now on, in order, and each record once', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    stream.in('s0').texts.push('before');
    const one = following(stream, 5);
    await pass(0);
    expect(one.listening()).toEqual([[5]]);
    stream.in('s0').texts.push('a', 'b');
    await pass(paceMs);
    stream.in('s0').texts.push('c');
    const readAt = monotonicClock.now();
    await pass(paceMs);
    expect(one.texts()).toEqual(['a', 'b', 'c']);
    expect(one.receivedAt()).toEqual([readAt, readAt + paceMs]);
    expect(one.listening()).toEqual([[5]]);
  });

  it('is read at the rate that its readers share', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    following(stream, 5);
    await pass(10 * paceMs - 1);
    expect(reads(stream)).toBe(10);
  });

  it.each([0, 9])('includes the first and the last of its keys: %d', async (key) => {
    const stream = plainStream(shardOf('s0', 0, 9), shardOf('s1', 10, 19));
    const one = following(stream, key);
    await pass(0);
    expect(one.listening()).toEqual([[key]]);
    expect(stream.asked.filter(({ kind }) => kind === 'position').map(({ what }) => what)).toEqual([
      's0',
    ]);
  });

  it('that has none of the keys is not read', async () => {
    const stream = plainStream(shardOf('s0', 0, 9), shardOf('s1', 10, 19));
    following(stream, 10);
    await pass(5 * paceMs);
    expect(reads(stream, 's0')).toBe(0);
    expect(reads(stream, 's1')).toBeGreaterThan(0);
  });

  it('is no longer read once the signal aborts, and nothing remains', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    const one = following(stream, 5);
    await pass(paceMs);
    stop.abort();
    await one.done;
    expect(one.ended()).toBe('yes');
    const before = stream.asked.length;
    await pass(10 * paceMs);
    expect(stream.asked.length).toBe(before);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a shard that was split or merged', () => {
  it('is read to its end, and its children from their start', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    const one = following(stream, 1, 7);
    await pass(0);
    stream.in('s0').texts.push('last');
    stream.in('s0').children = [shardOf('s1', 0, 4), shardOf('s2', 5, 9)];
    stream.in('s1').texts.push('left');
    stream.in('s2').texts.push('right');
    await pass(paceMs);
    expect(one.texts()).toEqual(['last', 'left', 'right']);
    // The reader has missed nothing, so it does not begin to listen again.
    expect(one.listening()).toEqual([[1, 7]]);
    expect(reads(stream, 's0')).toBe(2);
  });

  it('is continued in the children of its keys only', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    following(stream, 7);
    await pass(0);
    stream.in('s0').children = [shardOf('s1', 0, 4), shardOf('s2', 5, 9)];
    await pass(5 * paceMs);
    expect([reads(stream, 's1'), reads(stream, 's2') > 0]).toEqual([0, true]);
  });

  it('is continued in a child of two parents once both were read to their end, and once', async () => {
    const stream = plainStream(shardOf('s0', 0, 4), shardOf('s1', 5, 9));
    const one = following(stream, 1, 7);
    await pass(0);
    const child = shardOf('s2', 0, 9);
    stream.in('s0').children = [child];
    stream.in('s2').texts.push('after');
    await pass(3 * paceMs);
    expect(one.texts()).toEqual([]);
    stream.in('s1').texts.push('before');
    stream.in('s1').children = [child];
    await pass(paceMs);
    expect(one.texts()).toEqual(['before', 'after']);
    expect(
      stream.asked.filter(({ kind, what }) => kind === 'position' && what === 's2'),
    ).toHaveLength(1);
  });

  it('whose children are unknown ends the reader: records could be missed', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    const one = following(stream, 5);
    await pass(0);
    stream.in('s0').children = [shardOf('s1', 10, 19)];
    await pass(paceMs);
    expect(one.ended()).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('its child shards are unknown'),
    });
  });
});

describe('a reader', () => {
  it('ends if no shard has its keys', async () => {
    const one = following(plainStream(shardOf('s0', 0, 4)), 5);
    await pass(0);
    expect(one.ended()).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('no open shard yet'),
    });
  });

  it('ends with an error that waiting cannot resolve, and stops reading the other shards', async () => {
    const stream = plainStream(shardOf('s0', 0, 4), shardOf('s1', 5, 9));
    const one = following(stream, 1, 7);
    await pass(0);
    stream.before = ({ what }) =>
      what === 's1' ? Promise.reject(new LeadershipError('unauthorized', 'no')) : undefined;
    await pass(paceMs);
    expect(one.ended()).toMatchObject({ code: 'unauthorized' });
    const before = stream.asked.length;
    await pass(10 * paceMs);
    expect(stream.asked.length).toBe(before);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends if the list of shards is not answered in time', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    stream.before = swallow;
    const one = following(stream, 5);
    await pass(limitMs);
    expect(one.ended()).toMatchObject({
      code: 'unreachable',
      message: 'stream "s": no answer within 1000 ms',
    });
  });

  it('ends if its position is lost', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    const one = following(stream, 5);
    await pass(0);
    const cause = Object.assign(new Error(), { name: 'ExpiredIteratorException' });
    stream.before = () => Promise.reject(new LeadershipError('unreachable', 'expired', { cause }));
    await pass(paceMs);
    expect(one.ended()).toMatchObject({ message: 'expired' });
  });

  it('whose caller stops early stops reading', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    const options = {
      stream,
      keys: [5n],
      clock: monotonicClock,
      limitMs,
      busy: inFlight(),
      troubles: new HealthReporter(fakeHost('a'), 'warning'),
      newReadRate: () => readRate({ readers: () => 1, lastMs: 1000, random: () => 0.5 }),
    };
    for await (const _ of followShards(options, stop.signal)) break;
    const before = stream.asked.length;
    await pass(10 * paceMs);
    expect(stream.asked.length).toBe(before);
  });
});

describe('a refusal', () => {
  it('is a hesitation at once, a warning from the third in a row on, and none after an answer', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    const one = following(stream, 5);
    await pass(0);
    stream.before = away;
    // The pauses: one rate, then twice and four times it, less than one second.
    await pass(paceMs);
    expect([one.hesitations(), one.host.warnings.size]).toEqual([1, 0]);
    await pass(2 * paceMs);
    expect([one.hesitations(), one.host.warnings.size]).toEqual([2, 0]);
    await pass(4 * paceMs);
    expect([one.hesitations(), [...one.host.warnings]]).toEqual([3, ['away']]);
    stream.before = undefined;
    stream.in('s0').texts.push('a');
    await pass(1000);
    expect([one.host.warnings.size, one.texts()]).toEqual([0, ['a']]);
  });

  it('doubles the pause, up to the last one; each answer halves it', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    following(stream, 5);
    await pass(0);
    const at: number[] = [];
    stream.before = ({ kind }) => {
      if (kind !== 'read') return undefined;
      at.push(monotonicClock.now());
      return at.length <= 4 ? away() : undefined;
    };
    await pass(30 * paceMs);
    const pauses = at.slice(1, 8).map((now, index) => Math.round(now - (at[index] ?? 0)));
    expect(pauses).toEqual([445, 889, 1000, 1000, 500, 250, 223]);
  });

  it('that is still raised when the reader ends is withdrawn', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    const one = following(stream, 5);
    await pass(0);
    stream.before = away;
    await pass(10 * paceMs);
    expect(one.host.warnings.size).toBe(1);
    stop.abort();
    await one.done;
    expect(one.host.warnings.size).toBe(0);
  });

  it('by a late answer counts too', async () => {
    const stream = plainStream(shardOf('s0', 0, 9));
    const one = following(stream, 5);
    await pass(0);
    stream.before = swallow;
    await pass(paceMs + limitMs);
    expect(one.hesitations()).toBe(1);
  });
});
