import type { LeadershipError } from '@leadership/core';
import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { tableLeadership } from '../src/table-leadership.ts';
import { slowTable } from './slow-table.ts';
import { rowOf } from './table-cluster.ts';

describe('the skeleton of an adapter', () => {
  it('elects one leader, which hands over in order', async () => {
    const table = slowTable();
    const open = (member: string) =>
      tableLeadership({ table, group: 'demo', member, partitions: 2, thresholdMs: 1500 });
    await using a = open('a');
    await using b = open('b');
    await Promise.all([a.ready(), b.ready()]);
    const leader = await firstLeader([a, b], 0);
    const other = leader === a ? b : a;
    expect(other.role(0).isLeading()).toBe(false);
    await expect.poll(() => other.role(0).leader()?.member).toBe(leader.member);
    const first = leader.role(0).term()?.token ?? 0n;
    await leader.role(0).resign();
    await firstLeader([other], 0);
    expect(leader.role(0).isLeading()).toBe(false);
    expect(other.role(0).term()?.token).toBeGreaterThan(first);
    await expect.poll(() => leader.role(0).leader()?.member).toBe(other.member);
  });

  it('fails over within its guarantee after a crash, and writes readable JSON records', async () => {
    const table = slowTable();
    const open = (member: string) =>
      tableLeadership({ table, group: 'demo', member, partitions: 1, thresholdMs: 1500 });
    const crashing = open('a');
    await firstLeader([crashing], 0);
    await using successor = open('b');
    await successor.ready();
    // Work that goes on, as that of a process that hangs: its lease is not released.
    crashing
      .role(0)
      .term()
      ?.waitUntil(new Promise<never>(() => undefined));
    const crashedAt = performance.now();
    await crashing.close({ signal: AbortSignal.abort() });
    await firstLeader([successor], 0);
    const { failoverMsMax } = successor.guarantees;
    expect(failoverMsMax).toBe(2062);
    expect(performance.now() - crashedAt).toBeGreaterThan(750);
    const recordIn = (row: string | number) =>
      JSON.parse(table.rows.get(rowOf('demo', row)) ?? '{}');
    const hold = recordIn(0);
    expect(hold).toMatchObject({ kind: 'hold', partition: 0 });
    expect(recordIn(`session#${hold.session}`)).toMatchObject({ member: 'b', thresholdMs: 1500 });
  });

  it('rejects a member whose configuration differs from the group (R3)', async () => {
    const table = slowTable();
    await using first = tableLeadership({ table, group: 'demo', partitions: 1, thresholdMs: 400 });
    await first.ready();
    await using second = tableLeadership({ table, group: 'demo', partitions: 2, thresholdMs: 400 });
    await expect(second.ready()).rejects.toMatchObject({
      code: 'partitions-differ',
    } satisfies Partial<LeadershipError>);
  });

  describe('if rows are deleted while members run', () => {
    it('never has two leaders, and tokens keep increasing', async () => {
      const table = slowTable();
      const open = (member: string) =>
        tableLeadership({ table, group: 'demo', member, partitions: 1, thresholdMs: 400 });
      await using a = open('a');
      await using b = open('b');
      const leader = await firstLeader([a, b], 0);
      const term = leader.role(0).term();
      const token = term?.token ?? 0n;
      table.rows.clear();
      // Poll the term instead of the role, because the member may lead again before the next poll.
      await expect.poll(() => term?.fenced.aborted).toBe(true);
      const next = await firstLeader([a, b], 0);
      expect(next.role(0).term()?.token).toBeGreaterThan(token);
    });
  });

  it('reports an invalid row, replaces it after T_max, and leads again with a greater token', async () => {
    const table = slowTable();
    await using source = tableLeadership({ table, group: 'demo', partitions: 1, thresholdMs: 400 });
    await source.ready();
    await firstLeader([source], 0);
    const term = source.role(0).term();
    table.rows.set(rowOf('demo', 0), 'garbage');
    await expect
      .poll(() => source.health().ignored)
      .toMatchObject({ 'unreadable row of a partition': expect.any(Number) });
    await expect.poll(() => term?.fenced.aborted).toBe(true);
    await firstLeader([source], 0);
    expect(source.role(0).term()?.token).toBeGreaterThan(term?.token ?? 0n);
  });
});

async function firstLeader<S extends ReturnType<typeof tableLeadership>>(
  sources: readonly S[],
  partition: number,
): Promise<S> {
  const leads = sources.map((source) =>
    firstValueFrom(source.held$.pipe(filter((held) => held.has(partition)))).then(() => source),
  );
  return Promise.race(leads);
}
