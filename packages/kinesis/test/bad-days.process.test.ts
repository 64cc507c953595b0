import type { LeadershipSource } from '@leadership/core';
import { partitionName } from '@leadership/core/adapter';
import { hasDynamoDb } from '@leadership/tools/aws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KinesisOptions, kinesisLeadership } from '../src/index.ts';
import { textField } from '../src/table/layout.ts';
import { tableOf } from '../src/table/table.ts';
import { eventually } from './support/eventually.ts';
import { type EmulatedTable, localTable } from './support/local-table.ts';
import { watchSoundness } from './support/soundness.ts';
import { deleteItems, putItem } from './support/strange-items.ts';

const thresholdMs = 1000;
/** For terms that must not end: a slow machine must not end them. */
const patientMs = 4 * thresholdMs;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const forever = () => new AbortController().signal;
const codes = (source: LeadershipSource) => source.health().troubles.map(({ code }) => code);
const says = (source: LeadershipSource) =>
  source
    .health()
    .troubles.map(({ message }) => message)
    .join('\n');

describe.runIf(await hasDynamoDb())('a group with failing requests', () => {
  let table: EmulatedTable;
  beforeAll(async () => {
    table = await localTable();
  });
  afterAll(() => table[Symbol.asyncDispose]());

  /** Opens the members of a new group. Each has a proxy line with its name. */
  function open(members: readonly string[], options: Partial<KinesisOptions> = {}) {
    const group = `group-${crypto.randomUUID()}`;
    const sources = members.map((member) =>
      kinesisLeadership({
        table: table.name,
        group,
        member,
        partitions: 1,
        thresholdMs,
        dynamodb: table.config(`${group}/${member}`),
        ...options,
      }),
    );
    const soundness = watchSoundness(sources);
    return {
      group,
      sources,
      soundness,
      line: (member: string) => `${group}/${member}`,
      /** Returns the current leader with its token, both read at once. */
      leader: () =>
        eventually('a member leads', () =>
          sources
            .map((source) => ({ source, token: source.role(0).term()?.token ?? 0n }))
            .find(({ token }) => token > 0n),
        ),
      async [Symbol.asyncDispose]() {
        soundness[Symbol.dispose]();
        await Promise.all(
          sources.map((source) => source.close({ signal: AbortSignal.timeout(3000) })),
        );
      },
    };
  }

  it('a term survives lost replies to writes that took effect', async () => {
    await using one = open(['a', 'b'], { thresholdMs: patientMs });
    const { source: leader, token } = await one.leader();
    using _lost = table.proxy.inject(
      { kind: 'lose-reply' },
      { line: one.line(leader.member), operations: ['PutItem'] },
    );
    await pause(1.2 * patientMs);
    expect(leader.role(0).term()?.token).toBe(token);
    one.soundness.insist();
  });

  it('no member is elected while all requests arrive 2T late, and one is elected once they arrive in time', async () => {
    await using one = open(['a', 'b', 'c']);
    const { source: leader, token } = await one.leader();
    const late = one.sources.map(({ member }) =>
      table.proxy.inject(
        { kind: 'delay-request', ms: 2 * thresholdMs },
        { line: one.line(member) },
      ),
    );
    await eventually('the leader is fenced', () => !leader.role(0).isLeading());
    await pause(4 * thresholdMs);
    expect(one.sources.some((source) => source.role(0).isLeading())).toBe(false);
    for (const fault of late) fault[Symbol.dispose]();
    expect((await one.leader()).token).toBeGreaterThan(token);
    one.soundness.insist();
  });

  it('members send no additional requests to a throttling table, elect no second leader, and lead again afterwards', async () => {
    await using one = open(['a', 'b', 'c']);
    await one.leader();
    const fault = { kind: 'error', code: 'ProvisionedThroughputExceededException' } as const;
    const throttled = one.sources.map(({ member }) =>
      table.proxy.inject(fault, { line: one.line(member), share: 0.9 }),
    );
    const asked = () =>
      one.sources.map(({ member }) =>
        [...table.proxy.counts(one.line(member)).values()].reduce((sum, count) => sum + count, 0),
      );
    const before = asked();
    const since = performance.now();
    await pause(5 * thresholdMs);
    const thresholds = (performance.now() - since) / thresholdMs;
    // After a failure exchanges are T/12 apart or more, and each reads the head and what it owns, and
    // writes the session or the note.
    for (const [index, count] of asked().entries())
      expect(count - (before[index] ?? 0)).toBeLessThan((4 / 0.9 + 12 + 1) * (thresholds + 1));
    for (const fault of throttled) fault[Symbol.dispose]();
    await one.leader();
    one.soundness.insist();
    await eventually(
      'all members are healthy again',
      () => one.sources.every((source) => source.health().ok),
      { withinMs: 60_000 },
    );
  });

  it('without failures members send at most the documented requests, no query reads what has not changed, and items stay small', async () => {
    const partitions = 4;
    // A write may take a third of T. With this T none times out and is repeated.
    const calmMs = 2 * thresholdMs;
    await using one = open(['a', 'b', 'c'], { partitions, thresholdMs: calmMs });
    await eventually('each member leads a partition', () =>
      one.sources.every((source) => source.held().size > 0),
    );
    const counts = (operation: string) =>
      one.sources.map(({ member }) => table.proxy.counts(one.line(member)).get(operation) ?? 0);
    const total = (operation: string) => counts(operation).reduce((sum, count) => sum + count, 0);
    const items = () =>
      tableOf(table.client, table.name).items(one.group, new AbortController().signal);
    // Changes of rows of partitions are read for a while.
    await pause(2 * calmMs);
    const [queries, puts, since] = [total('Query'), total('PutItem'), performance.now()];
    await pause(3 * calmMs);
    const thresholds = (performance.now() - since) / calmMs;
    // Each member renews every T/3, with a query before, and reads its own rows every T, of which it
    // has one or two. One of each may fall into the interval at either end. A quarter more is allowed,
    // because on a slow machine a write times out and is repeated.
    expect(total('Query') - queries).toBeLessThanOrEqual(1.25 * 3 * (4 * thresholds + 2));
    expect(total('PutItem') - puts).toBeLessThanOrEqual(1.25 * 3 * 3 * (thresholds + 1));
    expect(Math.max(...(await items()).map((item) => JSON.stringify(item).length))).toBeLessThan(
      1024,
    );
    await eventually('no member reports a problem', () =>
      one.sources.every((source) => source.health().troubles.length === 0),
    );
  });

  it('when the leader and another member are cut off, one of the others is elected and keeps leading after the network heals', async () => {
    await using one = open(['a', 'b', 'c', 'd'], { thresholdMs: patientMs });
    const { source: leader, token } = await one.leader();
    const other = one.sources.find((source) => source !== leader);
    const parted = [leader, other].map((source) =>
      table.proxy.inject({ kind: 'swallow' }, { line: one.line(source?.member ?? '') }),
    );
    await eventually('the leader is fenced', () => !leader.role(0).isLeading());
    const { source: next, token: nextToken } = await one.leader();
    expect(nextToken).toBeGreaterThan(token);
    expect([leader, other]).not.toContain(next);
    expect(leader.role(0).isLeading()).toBe(false);
    for (const fault of parted) fault[Symbol.dispose]();
    await eventually(
      'all members are healthy again',
      () => one.sources.every((source) => source.health().ok),
      { withinMs: 60_000 },
    );
    const { token: nowToken = nextToken } = next.role(0).term() ?? {};
    expect(nowToken).toBe(nextToken);
    one.soundness.insist();
  });

  it('items that an operator deletes and recreates cause no second leader, and tokens grow (T1)', async () => {
    await using one = open(['a', 'b', 'c']);
    const { token } = await one.leader();
    await deleteItems(table, one.group);
    await putItem(table, one.group, partitionName(0), {
      [textField]: { S: '{"life":"made by hand"}' },
    });
    await eventually('a later term begins', () =>
      one.sources.some((source) => (source.role(0).term()?.token ?? 0n) > token),
    );
    one.soundness.insist();
  });

  it('members with create: true recreate a deleted table, and tokens grow', async () => {
    await using other = await table.another();
    await using one = open(['a', 'b'], {
      table: other.name,
      create: true,
      dynamodb: other.config('all'),
    });
    const { source: leader, token } = await one.leader();
    await other.drop();
    await eventually('the leader is fenced', () => !leader.role(0).isLeading());
    expect((await one.leader()).token).toBeGreaterThan(token);
    one.soundness.insist();
  });

  it('an observer with create: true creates no table, and reads it once a member has, also a second time', async () => {
    await using other = await table.another();
    await other.drop();
    const options = { table: other.name, create: true, dynamodb: other.config('all') };
    await using watching = open(['observer'], { ...options, campaign: false });
    const [observer] = watching.sources;
    if (observer === undefined) throw new Error('there is no observer');
    await observer.ready();
    for (let time = 1; time <= 2; time += 1) {
      await eventually('it reports an unknown group', () =>
        codes(observer).includes('unknown-group'),
      );
      await pause(thresholdMs);
      expect(await tableOf(other.client, other.name).describe(forever())).toBeUndefined();
      {
        await using one = open(['a'], { ...options, group: observer.group });
        await one.leader();
        await eventually('the observer sees it', () => observer.role(0).leader() !== undefined);
        await eventually('the observer is well', () => observer.health().ok);
      }
      await other.drop();
    }
  });

  it('members without create: true use a table again that was deleted and recreated', async () => {
    await using other = await table.another();
    await using one = open(['a', 'b'], { table: other.name, dynamodb: other.config('all') });
    const { source: leader, token } = await one.leader();
    await leader.ready();
    await other.drop();
    await eventually('the missing table is reported', () =>
      says(leader).includes('does not exist'),
    );
    await other.create();
    await eventually('a later term begins', () =>
      one.sources.some((source) => (source.role(0).term()?.token ?? 0n) > token),
    );
    one.soundness.insist();
  });

  describe('ready() rejects and names', () => {
    it('a missing table and its region', async () => {
      await using one = open(['a'], { table: 'no-such-table' });
      await expect(one.sources[0]?.ready()).rejects.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringMatching(
          /table "no-such-table" in us-east-1: the table does not exist/,
        ),
      });
    });

    it.each(['DescribeTable', 'Query', 'PutItem'])(
      'a denied action and the policy statement that allows it: %s',
      async (action) => {
        await using one = open(['a']);
        using _denied = table.proxy.inject(
          { kind: 'error', code: 'AccessDeniedException' },
          { line: one.line('a'), operations: [action] },
        );
        await expect(one.sources[0]?.ready()).rejects.toMatchObject({
          code: 'unauthorized',
          message: expect.stringContaining(
            `"Action":"dynamodb:${action}","Resource":"arn:aws:dynamodb:us-east-1:*:table/${table.name}"`,
          ),
        });
      },
    );

    it('credentials that AWS rejects', async () => {
      await using one = open(['a']);
      using _wrong = table.proxy.inject(
        { kind: 'error', code: 'UnrecognizedClientException' },
        { line: one.line('a') },
      );
      await expect(one.sources[0]?.ready()).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining('credentials'),
      });
    });
  });

  it('a member waits for an unreachable table', async () => {
    await using one = open(['a']);
    const cut = table.proxy.inject({ kind: 'cut' }, { line: one.line('a') });
    const [source] = one.sources;
    if (source === undefined) throw new Error('the group has no source');
    await eventually('the unreachable table is reported', () =>
      codes(source).includes('unreachable'),
    );
    cut[Symbol.dispose]();
    await source.ready();
    await one.leader();
  });
});
