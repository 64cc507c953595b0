import { LeadershipError } from '@leadership/core';
import type { Host, KnownLeader, Membership } from '@leadership/core/adapter';
import { longAgo } from '@leadership/core/internal/engine';
import type { Assigned } from '@leadership/induction';
import { describe, expect, it } from 'vitest';
import { leaseAssignment } from '../../src/table/lease-assignment.ts';
import { eventually } from '../support/eventually.ts';
import { fakeHost } from '../support/fake-host.ts';

const graceMs = 20;

/** Creates an assignment whose lease engine is played by the test. */
function contested() {
  const host = fakeHost('m');
  const campaigns: string[] = [];
  const membership: Membership = {
    resign: () => Promise.resolve(),
    campaign: (on, partition) =>
      void campaigns.push(`${on}${partition === undefined ? '' : ` ${partition}`}`),
    close: () => Promise.resolve(),
  };
  let inner: Host = host;
  let alone: (isAlone: boolean) => void = () => undefined;
  const assignment = leaseAssignment(
    host,
    (given, reportAlone) => {
      [inner, alone] = [given, reportAlone];
      return membership;
    },
    graceMs,
  );
  const outcomes = assignment.assigned(new AbortController().signal)[Symbol.asyncIterator]();
  const other: KnownLeader = { incarnation: 'other', member: 'o', token: 9n, metadata: {} };
  const own: KnownLeader = { ...other, incarnation: host.incarnation, member: 'm' };
  return {
    inner,
    alone,
    assignment,
    campaigns,
    other,
    own,
    grant: (partition: number, token: bigint) =>
      inner.granted({ partition, token, until: longAgo, sentAt: longAgo }),
    next: async (): Promise<Assigned | undefined> =>
      (await outcomes.next()).value as Assigned | undefined,
  };
}

describe('leases as an assignment', () => {
  it('emit nothing before the table was read', async () => {
    const { inner, next } = contested();
    const first = next();
    inner.ready();
    expect(await first).toEqual({ partitions: new Set(), generation: new Map(), alone: false });
  });

  it('number each partition’s decision by the token of its lease; a renewal is not a new decision', async () => {
    const { inner, grant, next } = contested();
    inner.ready();
    expect(grant(0, 5n)).toBe('began');
    expect(grant(3, 2n)).toBe('began');
    expect(grant(0, 5n)).toBe('prolonged');
    expect(await next()).toMatchObject({ partitions: new Set([0, 3]), generation: new Map([[0, 5], [3, 2]]) }); // biome-ignore format: a table
    expect(grant(0, 7n)).toBe('began');
    expect(await next()).toMatchObject({ generation: new Map([[0, 7], [3, 2]]) }); // biome-ignore format: a table
  });

  it('T1: keep successive decisions distinct and ordered, even after a wall clock was centuries ahead', async () => {
    const { inner, grant, next } = contested();
    inner.ready();
    const numbers: number[] = [];
    for (const token of [2n ** 62n + 1n, 2n ** 62n + 2n, 2n ** 62n + 3n]) {
      expect(grant(0, token)).toBe('began');
      const { generation } = (await next()) ?? {};
      numbers.push(generation instanceof Map ? generation.get(0) : Number.NaN);
    }
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
    expect(numbers).toHaveLength(3);
    expect(numbers.every(Number.isSafeInteger)).toBe(true);
  });

  it('I1: keep a lapsed lease until another member’s lease is read', async () => {
    const { inner, grant, next, other } = contested();
    inner.ready();
    grant(0, 5n);
    inner.lost(0, 'expired');
    inner.leads(0, undefined);
    expect(await next()).toMatchObject({ partitions: new Set([0]) });
    inner.leads(0, other);
    expect(await next()).toMatchObject({ partitions: new Set() });
  });

  it('drop a released lease at once, without waiting for the work to drain', async () => {
    const { inner, grant, next } = contested();
    inner.ready();
    grant(0, 5n);
    await next();
    expect(await inner.drain(0)).toBe('drained');
    inner.released(0);
    expect(await next()).toMatchObject({ partitions: new Set() });
  });

  it('drop lapsed leases when the member stops competing', async () => {
    const { inner, grant, next, assignment } = contested();
    inner.ready();
    grant(0, 5n);
    grant(1, 5n);
    inner.lost(0, 'expired');
    await next();
    assignment.setCandidate(false);
    expect(await next()).toMatchObject({ partitions: new Set([1]) });
  });

  it('do not compete for declined partitions, not even after competing again', () => {
    const { assignment, campaigns } = contested();
    assignment.declined(new Set([2]));
    assignment.setCandidate(true);
    assignment.declined(new Set());
    expect(campaigns).toEqual(['false 2', 'true', 'false 2', 'true 2']);
  });

  it('compete for a declined partition once it was vacant for the grace period, until another member leads', async () => {
    const { assignment, campaigns, inner, other } = contested();
    assignment.declined(new Set([2]));
    inner.leads(2, undefined);
    await eventually('the member competes for the partition', () => campaigns.at(-1) === 'true 2');
    inner.leads(2, other);
    inner.leads(3, other);
    expect(campaigns).toEqual(['false 2', 'false 2', 'true 2', 'false 2']);
    await assignment.close();
  });

  it('give a lease of a partition that is still declined up again after the grace period, and a partition that is not declined never', async () => {
    const { assignment, campaigns, inner, own } = contested();
    assignment.declined(new Set([2]));
    inner.leads(2, own);
    inner.leads(3, own);
    await eventually('the lease is given up', () => campaigns.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 3 * graceMs));
    expect(campaigns).toEqual(['false 2', 'false 2']);
    await assignment.close();
  });

  it('do not compete for a partition that is declined only after its lease was taken', async () => {
    const { assignment, campaigns, inner, own } = contested();
    inner.leads(2, undefined);
    inner.leads(2, own);
    assignment.declined(new Set([2]));
    await new Promise((resolve) => setTimeout(resolve, 3 * graceMs));
    expect(campaigns).not.toContain('true 2');
    await assignment.close();
  });

  it('do not compete for a declined partition while the member is alone', async () => {
    const { assignment, campaigns, inner, alone } = contested();
    alone(true);
    assignment.declined(new Set([2]));
    inner.leads(2, undefined);
    await eventually('the grace period has passed', () => campaigns.length === 3);
    expect(campaigns).toEqual(['false 2', 'false 2', 'false 2']);
    await assignment.close();
  });

  it('do not compete after close', async () => {
    const { assignment, campaigns, inner } = contested();
    assignment.declined(new Set([2]));
    inner.leads(2, undefined);
    await assignment.close();
    await new Promise((resolve) => setTimeout(resolve, 3 * graceMs));
    inner.leads(2, undefined);
    await new Promise((resolve) => setTimeout(resolve, 3 * graceMs));
    expect(campaigns).toEqual(['false 2', 'false 2']);
  });

  it('do not mistake this member’s own lease for another’s', async () => {
    const { inner, grant, next, own } = contested();
    inner.ready();
    grant(0, 5n);
    await next();
    inner.leads(0, own);
    grant(1, 5n);
    expect(await next()).toMatchObject({ partitions: new Set([0, 1]) });
  });

  it('keep a lease that lapsed and was granted again when the member stops competing', async () => {
    const { inner, grant, next, assignment } = contested();
    inner.ready();
    grant(0, 5n);
    inner.lost(0, 'expired');
    grant(0, 6n);
    await next();
    assignment.setCandidate(false);
    grant(1, 5n);
    expect(await next()).toMatchObject({ partitions: new Set([0, 1]) });
  });

  it('report whether this member is alone', async () => {
    const { inner, alone, next } = contested();
    inner.ready();
    alone(true);
    expect(await next()).toMatchObject({ alone: true });
    alone(false);
    expect(await next()).toMatchObject({ alone: false });
  });

  it('end the assignment with an error when they are refused', async () => {
    const { inner, next } = contested();
    inner.refused('partitions-differ', 'other numbers');
    await expect(next()).rejects.toEqual(new LeadershipError('partitions-differ', 'other numbers'));
  });
});
