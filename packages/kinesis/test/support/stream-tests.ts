import { monotonicClock } from '@leadership/core/adapter';
import { HealthReporter, inFlight } from '@leadership/core/internal/engine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  followShards,
  type ShardRules,
  type ShardUpdate,
  shardRules,
} from '../../src/stream/follow-shards.ts';
import { type HashKey, partitionKey } from '../../src/stream/hash-key.ts';
import { kinesisOf } from '../../src/stream/kinesis-client.ts';
import { readingMs, readRate } from '../../src/stream/read-rate.ts';
import { type Stream, streamOf } from '../../src/stream/stream.ts';
import { eventually } from './eventually.ts';
import { fakeHost } from './fake-host.ts';
import type { LocalStream } from './local-stream.ts';
import { pausesAfterRefusals } from './pauses.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const keys = [0, 1, 2, 3].map((partition) => partitionKey(partition, 4));
const at = (place: number): HashKey => keys[place] ?? 0n;

/** How to follow the stream. */
interface Follower {
  readonly readers?: number;
  readonly followed?: readonly HashKey[];
  readonly rules?: ShardRules;
  /** Wraps the stream. */
  readonly through?: (stream: Stream) => Stream;
}

/** Tests that any stream must pass. */
export function streamTests(openStream: (shards: number) => Promise<LocalStream>): void {
  let local: LocalStream;
  beforeAll(async () => {
    local = await openStream(2);
  });
  afterAll(() => local[Symbol.asyncDispose]());

  /** Opens a reader of some keys on a proxy line. */
  function open(
    line: string,
    {
      readers = 1,
      followed = keys,
      rules = shardRules,
      through = (stream) => stream,
    }: Follower = {},
  ) {
    const { client, close } = kinesisOf(local.config(line));
    const host = fakeHost(line);
    const stop = new AbortController();
    const updates: ShardUpdate[] = [];
    const following = {
      stream: through(streamOf(client, local.name)),
      keys: followed,
      clock: monotonicClock,
      limitMs: 5000,
      busy: inFlight(),
      rules,
      newReadRate: () => readRate({ readers: () => readers, lastMs: 1000, random: Math.random }),
      troubles: new HealthReporter(host),
    };
    const follow = async (): Promise<void> => {
      for await (const item of followShards(following, stop.signal)) updates.push(item);
    };
    const ended = follow().then(
      () => undefined,
      (error: unknown) => error,
    );
    const reads = (): number => local.proxy.counts(line).get('GetRecords') ?? 0;
    const texts = (): string[] =>
      updates.flatMap((item) => (item.kind === 'records' ? item.texts : []));
    return {
      host,
      ended,
      reads,
      texts,
      listening: () =>
        eventually('the reader listens to all keys', () => {
          const received = updates.flatMap((item) => (item.kind === 'listening' ? item.keys : []));
          return received.length === followed.length;
        }),
      async [Symbol.asyncDispose]() {
        stop.abort();
        await ended;
        close();
      },
    };
  }

  it('returns new records in order, and does not exceed the allowed read rate', async () => {
    await local.append({ key: at(0), text: 'before' });
    await using one = open('one');
    await one.listening();
    const [before, since] = [one.reads(), performance.now()];
    for (let number = 0; number < 10; number += 1) {
      await local.append({ key: at(0), text: `a${number}` }, { key: at(3), text: `b${number}` });
      await pause(50);
    }
    await eventually('all records are read', () => one.texts().length === 20);
    // Two shards, each at the rate of one reader less a tenth, and one more read at either end.
    expect(one.reads() - before).toBeLessThanOrEqual(
      2 * ((performance.now() - since) / (0.9 * readingMs(1)) + 2),
    );
    const of = (letter: string): string[] => one.texts().filter((text) => text.startsWith(letter));
    expect(of('a')).toEqual(Array.from({ length: 10 }, (_, number) => `a${number}`));
    expect(of('b')).toEqual(Array.from({ length: 10 }, (_, number) => `b${number}`));
  });

  it('reads the shards of its keys only', async () => {
    await using one = open('half', { followed: [at(0)] });
    await one.listening();
    await local.append({ key: at(3), text: 'elsewhere' }, { key: at(0), text: 'here' });
    await eventually('the record is read', () => one.texts().length > 0);
    expect(one.texts()).toEqual(['here']);
  });

  it('with many shards is followed without a MaxListenersExceededWarning', async () => {
    const many = Array.from({ length: 12 }, (_, partition) => partitionKey(partition, 12));
    await using own = await openStream(many.length);
    const { client, close } = kinesisOf(own.config('many'));
    const warned: string[] = [];
    const note = ({ name }: Error): void => void warned.push(name);
    process.on('warning', note);
    await using one = open('many', { followed: many, through: () => streamOf(client, own.name) });
    await one.listening();
    process.off('warning', note);
    close();
    expect(warned).not.toContain('MaxListenersExceededWarning');
  });

  it('loses no record and keeps the order while shards are split and merged', async () => {
    await using one = open('moving');
    await one.listening();
    const written: string[] = [];
    const write = async (round: string): Promise<void> => {
      const entries = keys.map((key, place) => ({ key, text: `${place}/${round}` }));
      await local.append(...entries);
      written.push(...entries.map(({ text }) => text));
    };
    await write('0 before');
    const [first] = await local.shards();
    if (first === undefined) throw new Error('the stream has no shard');
    await local.split(first);
    await write('1 split');
    const [other, left, right] = await local.shards();
    if (other === undefined || left === undefined || right === undefined)
      throw new Error('the stream does not have three shards');
    await local.merge(left, right);
    await write('2 merged');
    const [a, b] = await local.shards();
    if (a === undefined || b === undefined) throw new Error('the stream does not have two shards');
    await local.merge(...(a.firstKey < b.firstKey ? ([a, b] as const) : ([b, a] as const)));
    await write('3 one');
    await eventually('all records are read', () => one.texts().length >= written.length);
    expect([...one.texts()].sort()).toEqual([...written].sort());
    for (let place = 0; place < keys.length; place += 1) {
      const own = one.texts().filter((text) => text.startsWith(`${place}/`));
      expect(own).toEqual([...own].sort());
    }
    const [last] = await local.shards();
    if (last !== undefined) await local.split(last);
  });

  it('is shared between its readers, which are rarely refused', async () => {
    const members = ['r1', 'r2', 'r3'].map((line) => open(line, { readers: 3 }));
    for (const member of members) await member.listening();
    const reads = (): number => members.reduce((sum, member) => sum + member.reads(), 0);
    const [before, since] = [reads(), performance.now()];
    await pause(4000);
    const seconds = (performance.now() - since) / 1000;
    // The limit is five reads per second for each of two shards.
    expect((reads() - before) / seconds).toBeLessThan(10);
    expect(members.flatMap(({ host }) => host.calls)).toEqual([]);
    await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
  });

  it('that another client reads constantly is read less and less often, until it has capacity again', async () => {
    const { pauses, timed } = pausesAfterRefusals();
    await using one = open('polite', { followed: [at(0)], through: timed });
    await one.listening();
    const other = greedy(local);
    await eventually('the reader is throttled', () =>
      one.host.calls.some((trouble) => trouble.includes('throttled')),
    );
    await eventually('the reader has been refused three times', () =>
      pauses.some(({ refusals }) => refusals >= 3),
    );
    // The pause doubles with each refusal up to one second, less at most half of it. A slow machine
    // only prolongs it.
    for (const { refusals, ms } of pauses.filter((one) => one.refusals > 0))
      expect(ms).toBeGreaterThan(0.9 * 0.5 * Math.min(2 ** refusals * readingMs(1), 1000));
    await other[Symbol.asyncDispose]();
    await local.append({ key: at(0), text: 'through' });
    await eventually('the record is read', () => one.texts().includes('through'));
  });

  it('that is temporarily unreachable is read on from the last position', async () => {
    await using one = open('away', { followed: [at(0)] });
    await one.listening();
    {
      using _cut = local.proxy.inject({ kind: 'cut' }, { line: 'away' });
      await eventually('the problem is reported', () => one.host.troubles.size > 0);
      await local.append({ key: at(0), text: 'meanwhile' });
    }
    await eventually('the record is read', () => one.texts().includes('meanwhile'));
    expect(one.host.troubles.size).toBe(0);
  });

  it('whose position is lost is not read on, because records may be missing', async () => {
    await using one = open('lost', { followed: [at(0)] });
    expect(await endsWhereItsPlaceIsLost('lost', one)).toContain('ExpiredIterator');
  });

  it('is read on after a lost position with the mutant that ignores it', async () => {
    await using one = open('lost and on', {
      followed: [at(0)],
      rules: { ...shardRules, isLost: () => false },
    });
    expect(await endsWhereItsPlaceIsLost('lost and on', one)).toBe('read on');
  });

  async function endsWhereItsPlaceIsLost(
    line: string,
    one: ReturnType<typeof open>,
  ): Promise<string> {
    await one.listening();
    const reads = one.reads();
    {
      using _expired = local.proxy.inject(
        { kind: 'error', code: 'ExpiredIteratorException' },
        { line },
      );
      await eventually('the expired iterator is returned', () => one.reads() > reads);
    }
    const later = `after ${crypto.randomUUID()}`;
    await local.append({ key: at(0), text: later });
    const readOn = eventually(
      'the reader continues',
      () => one.texts().includes(later) && 'read on',
    );
    return Promise.race([readOn, one.ended.then(String)]);
  }

  it('is read on after a merge once both parents were read to their end', async () => {
    // Leave time for a reader that would not wait.
    expect(await orderAfterMerge(shardRules, () => pause(6 * readingMs(1)))).toEqual([
      'before',
      'after',
    ]);
  });

  it('is read in the wrong order after a merge with the mutant that does not wait', async () => {
    const early = { ...shardRules, mayRead: () => true };
    const isRead = (texts: () => string[]) =>
      eventually('the later record is read early', () => texts().includes('after'));
    expect(await orderAfterMerge(early, isRead)).toEqual(['after', 'before']);
  });

  /**
   * Returns the order in which two records of one key are read. The shard of the first record is
   * merged before the second one is written, and reads of that shard are withheld until `aWhile`
   * resolves.
   */
  async function orderAfterMerge(
    rules: ShardRules,
    aWhile: (texts: () => string[]) => Promise<unknown>,
  ): Promise<readonly string[]> {
    await using own = await openStream(2);
    const [left, right] = [...(await own.shards())].sort((a, b) =>
      a.firstKey < b.firstKey ? -1 : 1,
    );
    if (left === undefined || right === undefined)
      throw new Error('the stream does not have two shards');
    const late = withheld(right.id);
    const { client, close } = kinesisOf(own.config('late'));
    await using one = open('late', {
      rules,
      through: () => late.through(streamOf(client, own.name)),
    });
    await one.listening();
    await late.withhold();
    await own.append({ key: at(3), text: 'before' });
    await own.merge(left, right);
    await own.append({ key: at(3), text: 'after' });
    await aWhile(one.texts);
    late.give();
    await eventually('both records are read', () => one.texts().length >= 2);
    await one[Symbol.asyncDispose]();
    close();
    return [...new Set(one.texts())];
  }

  it.each([
    ['AccessDeniedException', 'kinesis:ListShards is denied'],
    ['ResourceNotFoundException', 'the stream does not exist in us-east-1'],
    ['UnrecognizedClientException', 'credentials'],
  ])('that is refused reports the reason: %s', async (code, sentence) => {
    const line = `refused-${code}`;
    using _refused = local.proxy.inject({ kind: 'error', code }, { line });
    await using one = open(line);
    await expect(one.ended).resolves.toMatchObject({ message: expect.stringContaining(sentence) });
  });
}

/** Withholds answers about one shard until released. */
function withheld(shard: string) {
  const positions = new Set<string>();
  let waiting: Promise<void> = Promise.resolve();
  let underWay: Promise<unknown> = Promise.resolve();
  let give = (): void => undefined;
  const through = (stream: Stream): Stream => ({
    ...stream,
    async position(id, from, signal) {
      const position = await stream.position(id, from, signal);
      if (id === shard) positions.add(position);
      return position;
    },
    async read(position, signal) {
      if (!positions.has(position)) return stream.read(position, signal);
      await waiting;
      const reading = stream.read(position, signal);
      underWay = reading.catch(() => undefined);
      const batch = await reading;
      if (batch.next !== undefined) positions.add(batch.next);
      return batch;
    },
  });
  return {
    through,
    /** Resolves once no read is in progress that could return records written from now on. */
    async withhold() {
      waiting = new Promise((resolve) => {
        give = resolve;
      });
      await underWay;
    },
    give: () => give(),
  };
}

/**
 * Creates a client that requests four times as many reads as allowed, of the shard of the first
 * key.
 */
function greedy({ stream, name, config }: LocalStream): AsyncDisposable {
  const { client, close } = kinesisOf(config('greedy'));
  const stop = new AbortController();
  const take = async (): Promise<void> => {
    const own = streamOf(client, name);
    const shards = await stream.openShards(stop.signal);
    const shard = shards.find(({ firstKey, lastKey }) => firstKey <= at(0) && at(0) <= lastKey);
    let position = await own.position(shard?.id ?? '', 'next', stop.signal);
    while (!stop.signal.aborted) {
      const batch = await own.read(position, stop.signal).catch(() => undefined);
      position = batch?.next ?? position;
      await pause(50);
    }
  };
  const taking = take().catch(() => undefined);
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await taking;
      close();
    },
  };
}
