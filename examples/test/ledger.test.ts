import type { LeadershipError } from '@leadership/core';
import { monotonicClock } from '@leadership/core/backend';
import type { LedgerRecord } from '@leadership/core/ledger';
import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { tableLeadership } from '../src/table-leadership.ts';
import { type Table, tableLedger } from '../src/table-ledger.ts';
import { slowTable } from './slow-table.ts';

describe('the skeleton of an adapter', () => {
  it('elects one leader, and hands over in order', async () => {
    const table = slowTable();
    const open = (member: string) => tableLeadership({ table, group: 'demo', member, partitions: 2, thresholdMs: 1500 });
    await using a = open('a');
    await using b = open('b');
    await Promise.all([a.ready(), b.ready()]);
    const leader = await firstLeader([a, b], 0);
    const other = leader === a ? b : a;
    expect(other.role(0).isLeading()).toBe(false);
    // Who lost the race for nothing trusts what it reads from the first renewal on (L11): let it see one.
    await expect.poll(() => JSON.parse(table.rows.get('demo/0') ?? '').height).toBeGreaterThan(1);
    const first = leader.role(0).term()?.token ?? 0n;
    await leader.role(0).resign();
    await firstLeader([other], 0);
    expect(leader.role(0).isLeading()).toBe(false);
    expect(other.role(0).term()?.token).toBeGreaterThan(first);
    await expect.poll(() => leader.role(0).leader()?.member).toBe(other.member);
  });

  it('follows on after a crash within its guarantee, and writes records that any console can read', async () => {
    const table = slowTable();
    const open = (member: string) => tableLeadership({ table, group: 'demo', member, partitions: 1, thresholdMs: 1500 });
    const crashing = open('a');
    await firstLeader([crashing], 0);
    await using heir = open('b');
    await heir.ready();
    const crashedAt = performance.now();
    await crashing.close({ signal: AbortSignal.abort() });
    await firstLeader([heir], 0);
    const { failoverMsMax } = heir.guarantees;
    expect(failoverMsMax).toBe(1749);
    expect(performance.now() - crashedAt).toBeGreaterThan(750);
    expect(JSON.parse(table.rows.get('demo/0') ?? '')).toMatchObject({ member: 'b', kind: 'hold', thresholdMs: 1500 });
  });

  it('is refused where the group is configured otherwise (R3)', async () => {
    const table = slowTable();
    await using first = tableLeadership({ table, group: 'demo', partitions: 1, thresholdMs: 400 });
    await first.ready();
    await using second = tableLeadership({ table, group: 'demo', partitions: 2, thresholdMs: 400 });
    await expect(second.ready()).rejects.toMatchObject({ code: 'partitions-differ' } satisfies Partial<LeadershipError>);
  });

  describe('where rows are deleted under way', () => {
    const claim = (member: string): LedgerRecord => {
      const own = { member, incarnation: member, id: `${member}/1`, kind: 'hold' };
      return { group: 'demo', partition: 0, after: null, height: 0, token: 1n, thresholdMs: 400, ...own };
    };
    /** A ledger that looks when the test says so. */
    function read(table: Table) {
      const ledger = tableLedger(table, 'demo', 1500, monotonicClock);
      const { signal } = new AbortController();
      const news = ledger.news([0], signal)[Symbol.asyncIterator]();
      return { next: async () => (await news.next()).value?.kind, write: (record: LedgerRecord) => ledger.write(record, signal) };
    }

    it('a claim over nothing does not fit a row that was claimed and deleted meanwhile, nor the one that was made since', async () => {
      const table = slowTable();
      const [one, sleeper, third] = [read(table), read(table), read(table)];
      expect([await one.next(), await sleeper.next()]).toEqual(['end', 'end']);
      expect(await one.write(claim('one'))).toBe('in-effect');
      table.rows.clear();
      expect(await sleeper.write(claim('sleeper'))).toBe('refused');
      await third.next();
      expect(await sleeper.write(claim('sleeper'))).toBe('refused');
      expect(await one.write({ ...claim('one'), id: 'one/2', after: 'one/1', height: 1 })).toBe('refused');
    });

    it('everyone is told that the row is another, and only then may write to it', async () => {
      const table = slowTable();
      const [one, other] = [read(table), read(table)];
      await one.next();
      await other.next();
      await one.write(claim('one'));
      table.rows.clear();
      expect([await other.next(), await one.next()]).toEqual(['restarted', 'restarted']);
      expect(await other.write(claim('other'))).toBe('refused');
      expect([await other.next(), await one.next()]).toEqual(['end', 'end']);
      expect(await other.write(claim('other'))).toBe('in-effect');
      expect(await one.next()).toBe('record');
    });

    it('no two lead, and tokens go on growing', async () => {
      const table = slowTable();
      const open = (member: string) => tableLeadership({ table, group: 'demo', member, partitions: 1, thresholdMs: 400 });
      await using a = open('a');
      await using b = open('b');
      const leader = await firstLeader([a, b], 0);
      const term = leader.role(0).term();
      const token = term?.token ?? 0n;
      table.rows.clear();
      // Of its term, not whether it leads: it may lead again before anybody looks.
      await expect.poll(() => term?.fenced.aborted).toBe(true);
      const next = await firstLeader([a, b], 0);
      expect(next.role(0).term()?.token).toBeGreaterThan(token);
    });
  });

  it('counts a row that holds no record, begins it anew, and leads again with a greater token', async () => {
    const table = slowTable();
    await using source = tableLeadership({ table, group: 'demo', partitions: 1, thresholdMs: 400 });
    await source.ready();
    await firstLeader([source], 0);
    const term = source.role(0).term();
    table.rows.set('demo/0', 'garbage');
    await expect.poll(() => source.health().ignored).toMatchObject({ 'a row that holds no record': expect.any(Number) });
    await expect.poll(() => term?.fenced.aborted).toBe(true);
    await firstLeader([source], 0);
    expect(source.role(0).term()?.token).toBeGreaterThan(term?.token ?? 0n);
  });
});

async function firstLeader<S extends ReturnType<typeof tableLeadership>>(sources: readonly S[], partition: number): Promise<S> {
  const leads = sources.map((source) => firstValueFrom(source.held$.pipe(filter((held) => held.has(partition)))).then(() => source));
  return Promise.race(leads);
}
