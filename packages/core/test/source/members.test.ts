import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { allOf, anyOf } from '../../src/combine/combine.ts';
import type { KnownMember } from '../../src/contract/backend.ts';
import type { GroupMember } from '../../src/contract/member.ts';
import { memoryGroup } from '../../src/memory.ts';
import { nextTurn } from '../../src/process/next-turn.ts';
import { combinedBy } from '../support/combined.ts';
import { type SteeredSource, steeredSource } from '../support/steered-backend.ts';

/** With T = 1000 and the same fail-over time: as long as a partition may have no leader. */
const timeoutMs = 4000;

function known({ host }: SteeredSource, fields: Partial<KnownMember> = {}): KnownMember {
  return { incarnation: host.incarnation, member: 'a', isCandidate: true, metadata: {}, ...fields };
}

const other = { incarnation: 'b1', member: 'b' };

function warningsOf({ source }: SteeredSource): readonly string[] {
  return source.health().warnings.map(({ code, message }) => `${code}: ${message}`);
}

describe('members()', () => {
  it('has each present member with what it leads, its metadata, its roles and its trouble', () => {
    const steered = steeredSource({ log: false });
    const { source, host, grant } = steered;
    expect(source.members()).toEqual([]);
    const metadata = { at: 'there' };
    const published = { since: 7, trouble: 'unreachable', roles: ['mail', 'bills'], metadata };
    host.members([known(steered, { ...other, ...published }), known(steered)]);
    host.leads(1, { ...other, token: 8n, metadata });
    grant(7n);
    const [mail, bills] = ['mail', 'bills'].map((role) => source.role(role).partition);
    expect(source.members()).toEqual([
      { member: 'a', self: true, isCandidate: true, leads: [0], metadata: {}, roles: {} },
      {
        member: 'b',
        self: false,
        since: new Date(7),
        isCandidate: true,
        leads: [1],
        metadata,
        roles: { mail, bills },
        trouble: 'unreachable',
      },
    ]);
    expect(JSON.parse(JSON.stringify(source)).members).toHaveLength(2);
  });

  it('has those that are present as soon as an observer is ready', async () => {
    const group = memoryGroup('listed-when-ready');
    const options = { thresholdMs: 200, log: false } as const;
    await using leader = group.join({ ...options, member: 'a' });
    await firstValueFrom(
      leader.role(0).leadership$.pipe(filter(({ state }) => state === 'leading')),
    );
    await using observer = group.join({ ...options, campaign: false });
    await observer.ready();
    expect(observer.members()).toMatchObject([{ member: 'a', leads: [0] }]);
  });

  it('keeps two members of one name apart, by the run that leads', () => {
    const steered = steeredSource({ log: false });
    const { source, host } = steered;
    host.members([
      known(steered, other),
      known(steered, { ...other, incarnation: 'b2', since: 5 }),
    ]);
    host.leads(0, { ...other, incarnation: 'b2', token: 8n, metadata: {} });
    expect(source.members().map(({ leads }) => leads)).toEqual([[], [0]]);
  });

  it('is members$ as well: one emission for all changes of a turn, none without a change', async () => {
    const steered = steeredSource({ log: false });
    const { source, host, clock, grant } = steered;
    const emitted: (readonly GroupMember[])[] = [];
    let isComplete = false;
    source.members$.subscribe({
      next: (all) => emitted.push(all),
      complete: () => (isComplete = true),
    });
    host.members([known(steered)]);
    host.members([known(steered), known(steered, other)]);
    grant(7n);
    await nextTurn();
    host.members([known(steered, other), known(steered)]);
    await nextTurn();
    expect(emitted.map((all) => all.map(({ member, leads }) => [member, ...leads]))).toEqual([
      [],
      [['a', 0], ['b']],
    ]);
    await clock.pass(1000);
    await nextTurn();
    expect(emitted.at(-1)?.map(({ leads }) => leads)).toEqual([[], []]);
    await source.close();
    expect(isComplete).toBe(true);
  });

  it('of a combination has the members of all groups, and what they lead in the whole', async () => {
    const all = combinedBy(allOf, { log: false });
    all.a.host.members([known(all.a), known(all.a, other)]);
    all.b.host.members([
      known(all.b, { trouble: 'unreachable' }),
      known(all.b, { ...other, incarnation: 'c1', member: 'c' }),
    ]);
    all.a.grant(7n);
    const seen: string[][] = [];
    all.source.members$.subscribe((list) => seen.push(list.map(({ member }) => member)));
    expect(all.source.members()).toMatchObject([
      { member: 'a', self: true, leads: [], trouble: 'unreachable' },
      { member: 'b', leads: [] },
      { member: 'c', leads: [] },
    ]);
    all.b.grant(8n);
    expect(all.source.members()[0]?.leads).toEqual([0]);
    expect(seen.at(-1)).toEqual(['a', 'b', 'c']);
    await all.source.close();
  });
});

describe('what a member publishes', () => {
  it('is its first trouble, and the names of the roles that it asks for', async () => {
    const { source, host, published } = steeredSource({ log: false });
    const first = host.trouble('unreachable', 'away');
    const second = host.trouble('unauthorized', 'refused');
    first[Symbol.dispose]();
    second[Symbol.dispose]();
    for (const key of ['mail', 'mail', 0, 'bills']) source.role(key);
    expect(published).toEqual([
      '{"trouble":"unreachable","roles":[]}',
      '{"trouble":"unauthorized","roles":[]}',
      '{"roles":[]}',
      '{"roles":["mail"]}',
      '{"roles":["mail","bills"]}',
    ]);
    await source.close();
  });

  it('is bounded: 32 roles in 1 KiB, however many an application asks for', () => {
    const { source, published } = steeredSource({ log: false });
    for (let index = 0; index < 100; index += 1) source.role(`role ${index}`);
    expect(published).toHaveLength(32);
    const long = steeredSource({ log: false });
    for (const name of ['a', 'x'.repeat(600), 'y'.repeat(600), 'b']) long.source.role(name);
    expect(long.published).toHaveLength(2);
  });

  it('reaches every source of a combination', () => {
    const { source, a, b } = combinedBy(anyOf, { log: false });
    source.role('mail');
    for (const { published } of [a, b]) expect(published).toContain('{"roles":["mail"]}');
  });
});

describe('a group without a second candidate', () => {
  it('is a warning where it has had two, after as long as a partition may have no leader, until it has two again', async () => {
    const steered = steeredSource({ log: false });
    const { source, host, clock } = steered;
    host.ready();
    host.leads(0, { ...other, token: 8n, metadata: {} });
    host.leads(1, { ...other, token: 8n, metadata: {} });
    host.members([known(steered)]);
    await clock.pass(3 * timeoutMs);
    expect(warningsOf(steered)).toEqual([]);
    host.members([known(steered), known(steered, other)]);
    host.members([known(steered), known(steered, { ...other, isCandidate: false })]);
    await clock.pass(timeoutMs - 1);
    host.confirmed();
    expect(warningsOf(steered)).toEqual([]);
    await clock.pass(1);
    expect(warningsOf(steered)).toEqual([
      'no-standby: no other member could take over for 4000 ms, although the group had more candidates before; start another one, or restart this member if one is enough',
    ]);
    expect(source.health().ok).toBe(true);
    host.members([known(steered), known(steered, other)]);
    expect(warningsOf(steered)).toEqual([]);
    await source.close();
    expect(clock.pending).toBe(0);
  });

  it('is no warning at a member that does not read its group: it sees no member', async () => {
    const steered = steeredSource({ log: false });
    const { source, host, clock } = steered;
    host.confirmed();
    host.members([known(steered), known(steered, other)]);
    host.members([known(steered)]);
    await clock.pass(3 * timeoutMs);
    expect(warningsOf(steered)).toEqual([]);
    await clock.pass(timeoutMs / 2);
    host.confirmed();
    await clock.pass(timeoutMs / 2);
    expect(source.health().warnings.map(({ code }) => code)).toEqual(['no-standby']);
    await source.close();
  });
});

describe('a combination', () => {
  it('publishes its first trouble in each of its groups, unless that one has its own', async () => {
    const { source, a, b } = combinedBy(anyOf, { log: false });
    const last = ({ published }: SteeredSource): string | undefined =>
      published.map((one) => JSON.parse(one).trouble).at(-1);
    const stop = new AbortController();
    const failed = source.role(0).lead(
      () => {
        throw new Error('failed');
      },
      { signal: stop.signal },
    );
    a.grant(7n, 60_000);
    await expect.poll(() => [last(a), last(b)]).toEqual(['work-failed', 'work-failed']);
    using own = a.host.trouble('unreachable', 'no answer');
    expect([last(a), last(b)]).toEqual(['unreachable', 'work-failed']);
    own[Symbol.dispose]();
    expect(last(a)).toBe('work-failed');
    stop.abort();
    await failed;
    await source.close();
    expect([last(a), last(b)]).toEqual([undefined, undefined]);
  });
});
