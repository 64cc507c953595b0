// How many readers share a shard: the members that are present, and this member.
import { manyListeners } from '@leadership/core/internal/engine';
import { type LedgerParts, presenceRowName } from '@leadership/core/internal/lease';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { defaultKeyNames, keySchemaOf, textField } from '../../src/table/layout.ts';
import { leaseParts } from '../../src/table/lease-parts.ts';
import { noNotifications } from '../../src/table/notifications.ts';
import { type Store, storeOf } from '../../src/table/store.ts';
import { fakeHost } from '../support/fake-host.ts';
import { type PlainTable, plainTable } from '../support/plain-table.ts';

const thresholdMs = 900;
let table: PlainTable;
let store: Store;
let parts: LedgerParts | undefined;
let stop: AbortController;
let beat: number;
beforeEach(() => {
  vi.useFakeTimers();
  const keySchema = [...keySchemaOf(defaultKeyNames)];
  table = Object.assign(plainTable(), {
    describe: async () => ({
      TableStatus: 'ACTIVE' as const,
      KeySchema: keySchema,
      AttributeDefinitions: keySchema.map(({ AttributeName }) => ({
        AttributeName,
        AttributeType: 'S' as const,
      })),
    }),
  });
  store = storeOf(
    { table, group: 'g', thresholdMs, guarantee: 'exclusive', homeRegion: 'eu-west-1' },
    fakeHost('a'),
  );
  stop = new AbortController();
  manyListeners(stop.signal);
  beat = 0;
});
afterEach(async () => {
  stop.abort();
  const closed = parts?.ledger.close();
  await pass(thresholdMs);
  await closed;
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Opens the parts, and follows them as an engine does: an observer follows the placement too. */
function open(campaign: boolean): { reopen(): void; readonly seen: readonly number[] } {
  const seen: number[] = [];
  const opened = leaseParts(
    store,
    { create: false },
    { partitions: 1, thresholdMsMax: 5000, campaign },
    {
      notifications: noNotifications,
      seen: (present) => void seen.push(present.length),
      credentials: async () => ({}),
      close: () => undefined,
    },
  );
  parts = opened;
  const follow = async (stream: AsyncIterable<unknown>): Promise<void> => {
    for await (const _ of stream);
  };
  let ranking = new AbortController();
  const rank = (): void => {
    ranking = new AbortController();
    void follow(opened.placement.ranks(AbortSignal.any([stop.signal, ranking.signal])));
  };
  void follow(opened.ledger.events([0], stop.signal));
  rank();
  if (campaign) opened.placement.setCandidate(true);
  return {
    seen,
    reopen() {
      ranking.abort();
      rank();
    },
  };
}

/** Lets these members be alive for some time, in T, in which nothing changes but their beats. */
async function live(thresholds: number, ...members: readonly string[]): Promise<void> {
  for (let passed = 0; passed < thresholds; passed += 1) {
    beat += 1;
    for (const incarnation of members)
      table.stored.set(presenceRowName(incarnation), {
        group: { S: 'g' },
        item: { S: presenceRowName(incarnation) },
        [textField]: { S: JSON.stringify({ incarnation, member: 'm', beat }) },
      });
    await pass(thresholdMs);
  }
}

it.each([
  { kind: 'a candidate', campaign: true },
  { kind: 'an observer', campaign: false },
])(
  '$kind counts the members present and itself as readers, and keeps that number while nothing changes',
  async ({ campaign }) => {
    const { seen, reopen } = open(campaign);
    expect(store.readers()).toBe(1);
    await live(1, 'b', 'c');
    expect(store.readers()).toBe(3);
    await live(20, 'b', 'c');
    expect(store.readers()).toBe(3);
    // The engine opens the ranks again after an error.
    reopen();
    await live(20, 'b', 'c');
    expect(store.readers()).toBe(3);
    // Member c has crashed. It counts until its beat has not changed for two and a half T.
    await live(1, 'b');
    expect(store.readers()).toBe(3);
    await live(2, 'b');
    expect(store.readers()).toBe(2);
    await live(2, 'b', 'c', 'd');
    expect(store.readers()).toBe(4);
    expect(seen.at(-1)).toBe(campaign ? 4 : 3);
  },
);

it('a number of readers is not changed by reads that fail', async () => {
  open(true);
  await live(2, 'b', 'c');
  table.before = ({ kind }) => (kind === 'items' ? Promise.reject(new Error('away')) : undefined);
  await pass(20 * thresholdMs);
  expect(store.readers()).toBe(3);
  table.before = undefined;
  await live(4, 'b');
  expect(store.readers()).toBe(2);
});
