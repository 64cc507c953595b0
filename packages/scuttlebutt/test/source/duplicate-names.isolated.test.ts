import { passUntil } from '@leadership/testkit/vitest';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type GossipListener, type OpenGossip, scuttlebuttLeadership } from '../../src/index.ts';
import { memoryNetwork } from '../support/memory-network.ts';

vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => performance.now() / 1000,
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A member that receives what the test sends in the name of "b". */
async function receiver() {
  let listener: GossipListener | undefined;
  let pin = '';
  const transport: OpenGossip = (place, given) => {
    listener = given;
    ({ pin } = place);
    return memoryNetwork().open(place, given);
  };
  const source = scuttlebuttLeadership({
    group: 'g',
    member: 'a',
    voters: ['a'],
    thresholdMs: 1000,
    membersMax: 4,
    transport,
    log: false as const,
  });
  await passUntil(source.ready());
  return {
    source,
    hear(generation: number, beat: number, isProved = true, clock = 0): void {
      const row = { name: 'b', generation, beat, clock, sequence: 0, version: 0, floor: 0 };
      listener?.received({ pin, from: row, body: { kind: 'deltas', deltas: [] } }, isProved);
    },
    displaced: (): readonly string[] =>
      source
        .health()
        .troubles.filter(({ code }) => code === 'displaced')
        .map(({ message }) => message),
    [Symbol.asyncDispose]: () => passUntil(source.close()),
  };
}

test('an older process of a name that goes on sending is reported, and late datagrams of one that has ended are not', async () => {
  await using a = await receiver();
  a.hear(1, 10);
  a.hear(2, 1);
  a.hear(1, 11);
  await vi.advanceTimersByTimeAsync(400);
  // The same datagram again, or an earlier one, proves no life.
  a.hear(1, 11);
  a.hear(1, 9);
  expect(a.displaced()).toEqual([]);
  a.hear(1, 12);
  expect(a.displaced()).toEqual([
    'two live processes take part as member "b": messages of a process arrive that another one has displaced. Give each process a name of its own',
  ]);
  // It is published for 5 T, and shown for 10 T more.
  await vi.advanceTimersByTimeAsync(16_000);
  expect(a.displaced()).toEqual([]);
});

test('recorded datagrams of an earlier life are not reported, however long they are sent again', async () => {
  await using a = await receiver();
  for (const beat of [10, 11, 12]) a.hear(1, beat);
  a.hear(2, 1);
  for (const beat of [10, 11, 12]) {
    await vi.advanceTimersByTimeAsync(400);
    a.hear(1, beat);
  }
  expect(a.displaced()).toEqual([]);
});

test('recorded datagrams of an earlier life that this process has never received are not reported', async () => {
  await using a = await receiver();
  a.hear(2, 1);
  for (let beat = 10; beat < 30; beat += 1) {
    await vi.advanceTimersByTimeAsync(200);
    a.hear(1, beat, false);
  }
  for (let generation = 3; generation < 20; generation += 1) a.hear(generation, 1, false);
  expect(a.displaced()).toEqual([]);
  expect(a.source.health().ok).toBe(true);
});

test('an older process that receives nothing, and so proves nothing, is reported by its wall clock', async () => {
  await using a = await receiver();
  const startedAt = Date.now();
  const older = startedAt * 1000;
  a.hear(older + 1, 1);
  for (let beat = 10; beat < 13; beat += 1) {
    await vi.advanceTimersByTimeAsync(200);
    a.hear(older, beat, false, Date.now() - startedAt);
  }
  expect(a.displaced()).toHaveLength(1);
});

test('a name that starts again five times within two T is reported, and a slower one is not', async () => {
  await using a = await receiver();
  for (let generation = 1; generation <= 8; generation += 1) {
    a.hear(generation, 1);
    await vi.advanceTimersByTimeAsync(600);
  }
  expect(a.displaced()).toEqual([]);
  for (let generation = 11; generation <= 14; generation += 1) a.hear(generation, 1);
  expect(a.displaced()).toEqual([
    'member "b" has started again 5 times within 2000 ms: two live processes use that name and displace each other, or its process ends again and again. Give each process a name of its own',
  ]);
});
