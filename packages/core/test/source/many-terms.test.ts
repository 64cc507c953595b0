import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../src/adapter/resolve-options.ts';
import type { Host } from '../../src/contract/backend.ts';
import { openSource } from '../../src/source/open-source.ts';
import type { Clock } from '../../src/time/clock.ts';
import { after } from '../../src/time/instant.ts';
import { manualClock } from '../support/manual-clock.ts';
import { steeredSource } from '../support/steered-backend.ts';

/** A source with many partitions over a backend that does nothing, and the readings of its clock. */
function largeSource(partitions: number) {
  const manual = manualClock();
  const reads = { count: 0 };
  const now: Clock['now'] = () => {
    reads.count += 1;
    return manual.now();
  };
  const hosts: Host[] = [];
  const done = (): Promise<void> => Promise.resolve();
  const source = openSource(
    {
      guarantees: steeredSource().source.guarantees,
      start(host) {
        hosts.push(host);
        return { resign: done, campaign: () => undefined, close: done };
      },
    },
    resolveOptions({ group: 'g', member: 'a', partitions, thresholdMs: 1000 }),
    { clock: { ...manual, now } },
  );
  const [host] = hosts;
  if (host === undefined) throw new Error('the source did not start its backend');
  const prolong = (): void => void host.prolonged(after(manual.now(), 1000), manual.now());
  const grantAll = (token: bigint): void => {
    for (let partition = 0; partition < partitions; partition += 1)
      host.granted({ partition, token });
  };
  return { source, host, clock: manual, prolong, grantAll, reads };
}

describe('the views of a source with many partitions', () => {
  /** The number of readings of the clock, which every look at a term needs, for one change. */
  const readsPerChange = (partitions: number): number => {
    const { source, host, prolong, grantAll, reads } = largeSource(partitions);
    source.held$.subscribe();
    source.roster$.subscribe();
    source.role(0).leader$.subscribe();
    prolong();
    grantAll(1n);
    reads.count = 0;
    for (let partition = 0; partition < 50; partition += 1) host.lost(partition, 'superseded');
    for (let partition = 0; partition < 50; partition += 1)
      host.leads(partition, { member: 'b', incarnation: 'b', token: 2n, metadata: {} });
    for (let partition = 0; partition < 50; partition += 1) host.granted({ partition, token: 3n });
    source.role(0).leader$.subscribe();
    source.held();
    source.roster();
    return reads.count;
  };

  it('look at the partitions that change, and at no others', () => {
    expect(readsPerChange(2000)).toBe(readsPerChange(100));
  });

  it('emit each change once, and keep what they have emitted', () => {
    const { source, host, prolong, grantAll } = largeSource(300);
    const [held, rosters]: [number[], number[]] = [[], []];
    const first: ReadonlyMap<number, unknown>[] = [];
    source.held$.subscribe((terms) => {
      held.push(terms.size);
      first.push(terms);
    });
    source.roster$.subscribe(({ size }) => rosters.push(size));
    prolong();
    grantAll(1n);
    host.lost(7, 'superseded');
    const counts = Array.from({ length: 301 }, (_, index) => index);
    expect([held, rosters]).toEqual([
      [...counts, 299],
      [...counts, 299],
    ]);
    expect([first[300]?.has(7), first[301]?.has(7), first[7]?.size]).toEqual([true, false, 7]);
  });

  it('lose all expired terms before the end of the first is notified (H5)', async () => {
    const { source, clock, prolong, grantAll } = largeSource(200);
    const seen: string[] = [];
    prolong();
    grantAll(1n);
    const look = (what: string): unknown =>
      seen.push(`${what}: ${source.held().size} held, ${source.roster().size} known`);
    source.held$.subscribe(({ size }) => look(`held$ ${size}`));
    source.roster$.subscribe(({ size }) => look(`roster$ ${size}`));
    source.role(3).leadership$.subscribe(({ state }) => look(state));
    seen.length = 0;
    await clock.pass(1000);
    expect(seen).toEqual([
      'held$ 0: 0 held, 0 known',
      'roster$ 0: 0 held, 0 known',
      'fenced: 0 held, 0 known',
    ]);
  });

  it('are exact in every listener of a change (H5)', () => {
    const { source, host, prolong } = largeSource(3);
    const seen: unknown[] = [];
    prolong();
    const look = (): void =>
      void seen.push([[...source.held().keys()], [...source.roster().keys()]]);
    source.role(1).leadership$.subscribe(({ state }) => {
      look();
      if (state === 'leading') source.role(1).term()?.signal.addEventListener('abort', look);
    });
    host.granted({ partition: 0, token: 1n });
    host.granted({ partition: 1, token: 1n });
    host.lost(1, 'superseded');
    look();
    expect(seen).toEqual([
      [[], []],
      // The leader is known after the state is notified.
      [[0, 1], [0]],
      [[0], [0]],
      [[0], [0]],
      [[0], [0]],
    ]);
  });

  it('show the term that supersedes another to the listeners of its beginning', () => {
    const { source, grant } = steeredSource();
    const tokens: unknown[] = [];
    grant(7n);
    source.held();
    source
      .role(0)
      .leadership$.subscribe(() =>
        tokens.push([...source.held().values()].map(({ token }) => token)),
      );
    grant(8n);
    expect(tokens).toEqual([[7n], [], [8n]]);
  });

  it('notice a term that expires while its beginning is notified (H5)', async () => {
    const { source, grant, clock } = steeredSource();
    const held: number[] = [];
    source.held$.subscribe(({ size }) => held.push(size));
    grant(7n, 10);
    await clock.pass(5);
    let size = -1;
    source.role(0).leadership$.subscribe(({ state }) => {
      if (state !== 'leading' || source.role(0).term()?.token !== 8n) return;
      clock.block(30);
      size = source.held().size;
    });
    clock.block(5);
    grant(8n, 20);
    expect([size, source.held().size, source.roster().size]).toEqual([0, 0, 0]);
  });
});
