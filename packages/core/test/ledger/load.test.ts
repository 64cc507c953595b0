import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import { memoryGroup } from '../../src/memory.ts';
import { closeNow } from '../support/close-now.ts';
import { electionOf, thresholdMs } from '../support/ledger-source.ts';
import { strangers } from '../support/steered-ledger.ts';

const partitions = 200;
const all = Array.from({ length: partitions }, (_, partition) => partition);

describe('many partitions at once', () => {
  it('have a limited number of requests in flight, and a time limit that starts when a request is sent', async () => {
    const { source, host, store, clock } = electionOf({ partitions });
    await clock.pass(10);
    store.answers = false;
    for (const partition of all) store.rank(partition, [host.incarnation]);
    store.writes.length = 0;
    await clock.pass(thresholdMs / 10);
    expect(store.writes).toHaveLength(64);
    // The first requests time out; the next ones, which waited meanwhile, do not.
    await clock.pass(thresholdMs / 3);
    expect(store.writes.slice(0, 64).every(({ signal }) => signal.aborted)).toBe(true);
    expect(store.writes.length).toBeGreaterThan(64);
    expect(store.writes.slice(64, 128).some(({ signal }) => signal.aborted)).toBe(false);
    expect(store.writes.length).toBeLessThanOrEqual(128);
    await closeNow({ source, clock });
  });

  it('have at most one queued request each, and all of them get a leader', async () => {
    const { source, host, store, clock } = electionOf({ partitions });
    await clock.pass(10);
    store.answers = false;
    for (const partition of all) store.rank(partition, [host.incarnation]);
    await clock.pass(2 * thresholdMs);
    store.answers = true;
    await clock.pass(2 * thresholdMs);
    expect(source.held().size).toBe(partitions);
    expect(source.health()).toMatchObject({ ok: true, troubles: [] });
    await source.close();
  });

  it('have renewals sent before claims', async () => {
    const { source, host, store, clock } = electionOf({ partitions });
    await clock.pass(10);
    expect(source.held().size).toBe(2);
    store.answers = false;
    store.writes.length = 0;
    await clock.pass(thresholdMs / 3 - 20);
    for (const partition of all) store.rank(partition, [host.incarnation]);
    await clock.pass(50);
    expect(store.writes).toHaveLength(64);
    for (const { fail } of store.writes.splice(0)) fail(new Error('busy'));
    await clock.pass(1);
    expect(store.writes.slice(0, 2).map(({ record }) => record.partition)).toEqual([0, 1]);
    await closeNow({ source, clock });
  });

  it('do not delay closing while the store hangs: queued writes for a lapsed lease are dropped', async () => {
    const { source, host, store, clock } = electionOf({ partitions: 1000, log: false });
    await clock.pass(10);
    for (const partition of Array.from({ length: 1000 }).keys())
      store.rank(partition, [host.incarnation]);
    await clock.pass(2 * thresholdMs);
    expect(source.held().size).toBe(1000);
    store.answers = false;
    let isClosed = false;
    void source.close().then(() => {
      isClosed = true;
    });
    await clock.pass(1.5 * thresholdMs);
    expect(isClosed).toBe(true);
  });

  it('are not claimed by a queued claim after they were resigned', async () => {
    const { source, host, store, clock } = electionOf({ partitions, log: false });
    await clock.pass(10);
    store.answers = false;
    for (const partition of all) store.rank(partition, [host.incarnation]);
    await clock.pass(10);
    store.writes.length = 0;
    void source.close();
    store.answers = true;
    await clock.pass(thresholdMs);
    const claims = store.writes.filter(({ record }) => record.after === null);
    expect(claims).toEqual([]);
    expect(store.isClosed).toBe(true);
  });

  it('are neither claimed nor requested by a queued attempt that was dropped meanwhile, because it could prove nothing (L7, L11)', async () => {
    const { source, host, store, clock } = electionOf(
      { partitions, log: false },
      ({ current, instead }) => {
        instead.sendRequest = () => new Promise(() => undefined);
        for (const partition of all.slice(0, 100))
          current.set(
            partition,
            strangers(undefined, { partition, id: `s/${partition}`, thresholdMs }),
          );
      },
    );
    await clock.pass(10);
    store.answers = false;
    store.writes.length = 0;
    for (const partition of all) store.rank(partition, [host.incarnation]);
    await clock.pass(10);
    // Hanging lease requests leave room for claims.
    expect([store.requests.length, store.writes.length]).toEqual([32, 32]);
    for (const partition of [99, 199]) store.deliver({ kind: 'restarted', partition });
    await clock.pass(0.9 * thresholdMs);
    expect(store.requests.map(({ partition }) => partition)).toContain(98);
    expect(store.requests.map(({ partition }) => partition)).not.toContain(99);
    store.answers = true;
    await clock.pass(thresholdMs / 2);
    const claimed = store.writes.map(({ record }) => record.partition);
    expect([claimed.includes(198), claimed.includes(199)]).toEqual([true, false]);
    await closeNow({ source, clock });
  });

  it('are reported to the placement in one call if they change in one turn of the event loop', async () => {
    let reported = 0;
    const { source, store, clock } = electionOf(
      { partitions, campaign: false },
      ({ instead, current }) => {
        instead.holders = () => {
          reported += 1;
        };
        for (const partition of all)
          current.set(
            partition,
            strangers(undefined, { partition, id: `s/${partition}`, thresholdMs }),
          );
      },
    );
    await clock.pass(10);
    expect(source.roster().size).toBe(partitions);
    expect(reported).toBeLessThanOrEqual(2);
    await clock.pass(2 * thresholdMs);
    expect(store.rereads).toEqual([]);
    expect(source.roster().size).toBe(0);
    await source.close();
  });

  it('settle among three members in memory without a superfluous term', async () => {
    const group = memoryGroup('settle');
    const sources = ['a', 'b', 'c'].map((member) =>
      group.join({ member, partitions: 256, thresholdMs: 20_000 }),
    );
    const terms = sources.map((source) => {
      const acquired: number[] = [];
      source.events$.subscribe(
        ({ kind, partition }) =>
          kind === 'acquired' && partition !== undefined && acquired.push(partition),
      );
      return acquired;
    });
    await expect
      .poll(() => sources.map((source) => source.held().size).sort((x, y) => x - y), {
        timeout: 60_000,
      })
      .toEqual([85, 85, 86]);
    expect(terms.flat()).toHaveLength(256);
    await Promise.all(sources.map((source) => source.close()));
  }, 90_000);
});

describe('unanswered writes', () => {
  it('are repeated ever later, and ever sooner again towards the end of the lease (L4)', async () => {
    const { source, store, clock } = electionOf({ partitions: 1 });
    await clock.pass(10);
    const endsAt = clock.now() + source.role(0).remainingMs();
    const sentAt: number[] = [];
    store.instead.write = () => {
      sentAt.push(clock.now());
      return Promise.reject(new Error('busy'));
    };
    await clock.pass(4 * thresholdMs);
    const gaps = sentAt.slice(1).map((at, index) => Math.round(at - (sentAt[index] ?? 0)));
    expect(gaps.slice(0, 2)).toEqual([thresholdMs / 12, thresholdMs / 6]);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(thresholdMs / 12 - 1);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(thresholdMs / 3 + 1);
    const last = sentAt.filter((at) => at < endsAt).at(-1) ?? 0;
    expect(endsAt - last).toBeLessThan(thresholdMs / 12);
    await closeNow({ source, clock });
  });
});

describe('a limit of partitions', () => {
  it('is declared by the memory backend, which refuses more', () => {
    expect(() => memoryGroup('limit').join({ partitions: 10_001 })).toThrow(
      /partitions 10001 is more than the 10000 that the memory backend/,
    );
  });

  it('is checked together with the other options if a backend declares one', () => {
    const limits = { partitions: { max: 10, backend: 'toy' } };
    expect(resolveOptions({ group: 'g', partitions: 10 }, limits).partitions).toBe(10);
    expect(() => resolveOptions({ group: 'g', partitions: 11 }, limits)).toThrow(
      /map several roles onto one partition/,
    );
  });
});
