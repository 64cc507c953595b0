// Members over an in-memory network: how the driver connects the machine, its host and a transport.
// The test controls the time, so that no machine is too slow for a lease.
import { LeadershipError } from '@leadership/core';
import { passFor, passUntil } from '@leadership/testkit/vitest';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type NerioOptions, type NerioSource, nerioLeadership } from '../../src/index.ts';
import { memoryNetwork } from '../support/memory-network.ts';

// A blocked process must not look like a machine that slept, so the test controls the boot time
// too.
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => performance.now() / 1000,
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Members of a group. All are voters and candidates, and are closed with the test. */
function group(names: readonly string[], options: Partial<NerioOptions> = {}) {
  const network = memoryNetwork();
  const open = (member: string, more: Partial<NerioOptions> = {}): NerioSource =>
    nerioLeadership({
      group: 'g',
      members: names,
      transport: network.open,
      thresholdMs: 300,
      partitions: 1,
      member,
      ...options,
      ...more,
    });
  const sources = names.map((name) => open(name));
  return {
    network,
    open,
    sources,
    [Symbol.asyncDispose]: () =>
      passUntil(Promise.all(sources.map((source) => source.close()))).then(() => undefined),
  };
}

/** Returns the first of them that leads the role. */
async function leaderOf(
  sources: readonly NerioSource[],
  role: string | number = 0,
): Promise<NerioSource> {
  return await passFor(() => {
    const leader = sources.find((source) => source.role(role).isLeading());
    if (leader === undefined) throw new Error('nobody leads');
    return leader;
  });
}

test('one of three members leads, and all know the leader', async () => {
  await using members = group(['a', 'b', 'c'], { metadata: { port: '1' } });
  const leader = await leaderOf(members.sources);
  for (const source of members.sources) {
    const expected = { member: leader.member, self: source === leader, metadata: { port: '1' } };
    await passFor(() => expect(source.role(0).leader()).toMatchObject(expected));
    await passUntil(source.ready());
  }
});

test('every member lists all to which a connection exists, and what they lead', async () => {
  await using members = group(['a', 'b', 'c'], { metadata: { port: '1' } });
  const leader = await leaderOf(members.sources);
  const listOf = (source: NerioSource) =>
    source.members().map(({ member, isCandidate, leads }) => [member, isCandidate, ...leads]);
  const leads = (name: string) => (name === leader.member ? [0] : []);
  for (const source of members.sources) {
    const all = ['a', 'b', 'c'].map((name) => [name, true, ...leads(name)]);
    await passFor(() => expect(listOf(source)).toEqual(all));
    expect(source.members()[0]).toMatchObject({ metadata: { port: '1' }, since: expect.any(Date) });
  }
  const [other] = members.sources.filter((source) => source !== leader);
  await passUntil(leader.close());
  await passFor(() =>
    expect(other?.members().map(({ member }) => member)).not.toContain(leader.member),
  );
});

test('every member lists the roles of all', async () => {
  await using members = group(['a', 'b', 'c']);
  const leader = await leaderOf(members.sources);
  leader.role('invoices');
  const ofLeader = (source: NerioSource) =>
    source.members().find(({ member }) => member === leader.member);
  for (const source of members.sources)
    await passFor(() => expect(ofLeader(source)).toMatchObject({ roles: { invoices: 0 } }));
  leader.role('reports');
  for (const source of members.sources)
    await passFor(() =>
      expect(ofLeader(source)).toMatchObject({ roles: { invoices: 0, reports: 0 } }),
    );
});

test('a leader that closes hands over, and the next token is greater', async () => {
  await using members = group(['a', 'b', 'c']);
  const leader = await leaderOf(members.sources);
  const token = leader.role(0).term()?.token ?? 0n;
  await passUntil(leader.close());
  const next = await leaderOf(members.sources);
  expect(next).not.toBe(leader);
  expect(next.role(0).term()?.token).toBeGreaterThan(token);
});

test('a member with another pin is refused, and never leads (R3)', async () => {
  await using members = group(['a', 'b', 'c']);
  await leaderOf(members.sources);
  await passUntil(Promise.resolve(members.sources[2]?.close()));
  const stranger = members.open('c', { partitions: 2 });
  await expect(passUntil(stranger.ready())).rejects.toThrow(LeadershipError);
  expect(stranger.health().troubles.map(({ code }) => code)).toContain('partitions-differ');
  await passUntil(stranger.close());
});

test('a minority never leads, and reports the reason; it has a weak leader (N14)', async () => {
  await using members = group(['a', 'b', 'c']);
  const leader = await leaderOf(members.sources);
  const others = members.sources.filter((source) => source !== leader);
  for (const { member } of others) {
    members.network.cut(leader.member, member);
    members.network.cut(member, leader.member);
  }
  await leaderOf(others);
  expect(leader.role(0).isLeading()).toBe(false);
  await passFor(() =>
    expect(leader.health().troubles.map(({ code }) => code)).toContain('no-quorum'),
  );
  let weak: string | undefined;
  leader.weak$.subscribe((leaders) => {
    weak = leaders.get(0)?.member;
  });
  await passFor(() => expect(weak).toBe(leader.member));
  expect(leader.role(0).isLeading()).toBe(false);
});

test('partitions are spread over the present members; a member that joins gets its share, and nothing else moves (L9)', async () => {
  const names = ['a', 'b', 'c', 'd'];
  await using members = group(names, { partitions: 9 });
  const last = members.sources[3];
  const present = members.sources.slice(0, 3);
  await passUntil(Promise.resolve(last?.close()));
  const counts = (): number[] => present.map((source) => source.held().size);
  await passFor(() => expect(counts()).toEqual([3, 3, 3]));
  const tokens = (): bigint[] =>
    present.flatMap((source) => [...source.held().values()].map(({ token }) => token)).sort();
  const before = tokens();
  const late = members.open('d');
  await passFor(() => expect(late.held().size).toBe(2));
  await passFor(() => expect(counts().sort()).toEqual([2, 2, 3]));
  expect(before).toEqual(expect.arrayContaining(tokens()));
  await passUntil(late.close());
});
