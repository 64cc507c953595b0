import { describe, expect, it } from 'vitest';
import { allOf } from '../../src/combine/combine.ts';
import type { LeadershipEvent } from '../../src/contract/event.ts';
import type { LeadershipSource } from '../../src/contract/source.ts';
import { leaderlessMs } from '../../src/source/leaderless.ts';
import { combinedBy, other } from '../support/combined.ts';
import { type SteeredSource, steeredSource } from '../support/steered-backend.ts';

/** With T = 1000 and the same fail-over time: two fail-overs, the cold start, and T. */
const timeoutMs = 4000;

function troublesOf(source: LeadershipSource): readonly string[] {
  return source.health().troubles.map(({ code, message }) => `${code}: ${message}`);
}

function codesOf({ source }: SteeredSource): string[] {
  const codes: string[] = [];
  source.events$.subscribe(
    ({ kind, code }: LeadershipEvent) => void (code && codes.push(`${kind} ${code}`)),
  );
  return codes;
}

describe('no known leader', () => {
  it('is a trouble after two fail-overs, a cold start and T; it names the partitions, and ends once leaders are known', async () => {
    const steered = steeredSource({ log: false });
    const { source, host, clock, grant } = steered;
    const codes = codesOf(steered);
    host.ready();
    await clock.pass(timeoutMs - 1);
    expect(source.health().ok).toBe(true);
    await clock.pass(1);
    const advice =
      'has been known for 4000 ms; check the other troubles and the health of the other members';
    expect(source.health().ok).toBe(false);
    expect(troublesOf(source)).toEqual([
      `leaderless: no leader of 2 of 2 partitions (0, 1) ${advice}`,
    ]);
    grant(7n, 60_000);
    await clock.pass(timeoutMs);
    expect(troublesOf(source)).toEqual([`leaderless: no leader of partition 1 ${advice}`]);
    host.leads(1, { ...other });
    expect([source.health().ok, clock.pending]).toEqual([true, 1]);
    expect(codes).toEqual([
      'trouble leaderless',
      'mended leaderless',
      'trouble leaderless',
      'mended leaderless',
    ]);
    await source.close();
    expect(clock.pending).toBe(0);
  });

  it('is a trouble for observers too, and again when a leader is lost', async () => {
    const { source, host, clock } = steeredSource({ campaign: false, partitions: 1, log: false });
    host.ready();
    host.leads(0, { ...other });
    await clock.pass(10 * timeoutMs);
    expect(source.health().ok).toBe(true);
    host.leads(0, undefined);
    await clock.pass(timeoutMs / 2);
    host.leads(0, undefined);
    await clock.pass(timeoutMs / 2);
    expect(source.health().troubles).toMatchObject([{ code: 'leaderless' }]);
    host.leads(0, { ...other, token: 51n });
    expect(source.health().ok).toBe(true);
    await source.close();
  });

  it('is not a trouble if the successor was reported before this member’s term ended, as with overlapping terms (I1)', async () => {
    const { source, host, clock, grant } = steeredSource({ partitions: 1, log: false });
    host.ready();
    grant(7n, 60_000);
    host.leads(0, { ...other });
    host.released(0);
    await clock.pass(10 * timeoutMs);
    expect([source.role(0).leader()?.member, source.health().ok]).toEqual(['x', true]);
    host.leads(0, undefined);
    await clock.pass(timeoutMs);
    expect(source.health().troubles).toMatchObject([{ code: 'leaderless' }]);
    await source.close();
  });

  it('is not a trouble before the source is ready, because the backend reports that', async () => {
    const { source, clock } = steeredSource({ log: false });
    await clock.pass(10 * timeoutMs);
    expect([source.health().troubles, clock.pending]).toEqual([[], 0]);
    await source.close();
  });

  it('of a thousand partitions is one trouble on one timer', async () => {
    const steered = steeredSource({ partitions: 1000, log: false });
    const { source, host, clock } = steered;
    const codes = codesOf(steered);
    host.ready();
    expect(clock.pending).toBe(1);
    await clock.pass(timeoutMs);
    expect(troublesOf(source)[0]).toContain(
      '1000 of 1000 partitions (0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 990 more)',
    );
    for (let partition = 0; partition < 1000; partition += 1) host.leads(partition, { ...other });
    expect([source.health().ok, codes]).toEqual([
      true,
      ['trouble leaderless', 'mended leaderless'],
    ]);
    await source.close();
  });

  it('stays in the health of a closed source, which is not ok', async () => {
    const { source, host, clock } = steeredSource({ log: false });
    host.ready();
    expect(source.health().ok).toBe(true);
    await clock.pass(timeoutMs);
    await source.close();
    expect(source.health()).toMatchObject({ ok: false, troubles: [{ code: 'leaderless' }] });
    const well = steeredSource();
    well.host.ready();
    await well.source.close();
    expect(well.source.health()).toMatchObject({ ok: false, troubles: [] });
  });

  it('under allOf is a trouble of the combination: a later source has no leader while this member must not lead', async () => {
    const { source, a, b } = combinedBy(allOf, { log: false });
    for (const { host } of [a, b]) host.ready();
    await source.ready();
    for (const partition of [0, 1]) a.host.leads(partition, { ...other });
    for (const { clock } of [a, b]) await clock.pass(10 * timeoutMs);
    expect(source.health()).toMatchObject({ ok: true, troubles: [] });
    a.host.leads(0, undefined);
    for (const { clock } of [a, b]) await clock.pass(2 * timeoutMs);
    expect(source.health()).toMatchObject({ ok: false, troubles: [{ code: 'leaderless' }] });
    await source.close();
    expect([a.clock.pending, b.clock.pending]).toEqual([0, 0]);
  });

  it('is tolerated for a time that follows from the fail-over bound, or ten T without one', () => {
    const guarantees = { ...steeredSource().source.guarantees, failoverMsMax: 3123 };
    expect(leaderlessMs(guarantees, 3000, 3000)).toBe(12_246);
    expect(leaderlessMs({ ...guarantees, failoverMsMax: 'unbounded' }, 3000, 3000)).toBe(66_000);
  });
});
