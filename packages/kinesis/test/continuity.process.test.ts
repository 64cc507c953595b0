import type { LeadershipSource } from '@leadership/core';
import { hasDynamoDb } from '@leadership/tools/aws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KinesisOptions, kinesisLeadership } from '../src/index.ts';
import { eventually } from './support/eventually.ts';
import { type LocalStream, localStream } from './support/local-stream.ts';
import { type LocalTable, localTable } from './support/local-table.ts';

const thresholdMs = 4500;

describe.runIf(await hasDynamoDb())('continuous leadership', () => {
  let table: LocalTable;
  let stream: LocalStream;
  beforeAll(async () => {
    [table, stream] = await Promise.all([localTable(), localStream(1)]);
  });
  afterAll(async () => {
    await Promise.all([table[Symbol.asyncDispose](), stream[Symbol.asyncDispose]()]);
  });

  const open = (
    group: string,
    member: string,
    options: Partial<KinesisOptions> = {},
  ): LeadershipSource =>
    kinesisLeadership({
      table: table.name,
      stream: stream.name,
      group,
      member,
      partitions: 1,
      thresholdMs,
      guarantee: 'continuous',
      dynamodb: table.config(`${group}/${member}`),
      kinesis: stream.config(`${group}/${member}`),
      ...options,
    });
  const fresh = (): string => `group-${crypto.randomUUID()}`;

  it('I1: a leader cut off from the table keeps leading until another member leads, and overlaps no longer than guaranteed', async () => {
    const group = fresh();
    // A term ends if no beat arrives for T. This T is longer than any stall of the machine.
    const patient = { thresholdMs: 2 * thresholdMs, leaseMs: thresholdMs / 3 };
    await using one = open(group, 'one', patient);
    await using other = open(group, 'other', patient);
    const leader = await eventually('a member leads', () => [one, other].find(leads));
    const next = leader === one ? other : one;
    await next.ready();
    const seen = watch(leader, next);
    using _cut = table.proxy.inject({ kind: 'cut' }, { line: `${group}/${leader.member}` });
    await eventually('the other member leads', () => leads(next));
    await eventually('the leader without a table has stopped leading', () => !leads(leader));
    expect(seen.isUnled()).toBe(false);
    expect(seen.overlapMs()).toBeLessThanOrEqual(Number(leader.guarantees.overlapMsMax));
    seen[Symbol.dispose]();
  });

  it('I4: a term ends when beats fail, even while the table answers, and the member leads again when they return', async () => {
    const group = fresh();
    await using one = open(group, 'one');
    await eventually('the member leads', () => leads(one));
    const lost = stream.proxy.inject({ kind: 'cut' }, { line: `${group}/one` });
    await eventually('the member has stopped leading', () => !leads(one));
    await eventually('the problem is reported', () => !one.health().ok);
    lost[Symbol.dispose]();
    await eventually('the member leads again', () => leads(one));
  });

  it('H2: each leader that resigns has resigned although all other members have just resigned, too', async () => {
    const group = fresh();
    await using one = open(group, 'one');
    await using other = open(group, 'other');
    await Promise.all([one.ready(), other.ready()]);
    for (let round = 0; round < 4; round += 1) {
      const leader = await eventually('a member leads', () => [one, other].find(leads));
      const { token } = leader.role(0).term() ?? {};
      let later: bigint | 'none' | undefined;
      const resigned = leader.role(0).resign();
      void resigned.then(() => {
        later = leader.role(0).term()?.token ?? 'none';
      });
      await eventually('the leader has resigned', () => later !== undefined);
      expect(later).not.toBe(token);
    }
  });

  it('R3: a member configured with the other guarantee is refused, in both directions', async () => {
    const group = fresh();
    await using continuous = open(group, 'continuous');
    await continuous.ready();
    await using exclusive = open(group, 'exclusive', { guarantee: 'exclusive' });
    await expect(exclusive.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining(
        'runs with guarantee "continuous", but this member is configured with "exclusive"',
      ),
    });
    const other = fresh();
    await using first = open(other, 'first', { guarantee: 'exclusive' });
    await first.ready();
    await using second = open(other, 'second');
    await expect(second.ready()).rejects.toMatchObject({ code: 'misconfigured-backend' });
  });

  it.each(['ListShards', 'GetRecords', 'PutRecords'])(
    'refuses a member that lacks permission for an action of the stream: %s',
    async (action) => {
      const group = fresh();
      const denied = { kind: 'error', code: 'AccessDeniedException' } as const;
      using _denied = stream.proxy.inject(denied, { line: `${group}/one`, operations: [action] });
      await using one = open(group, 'one');
      await expect(one.ready()).rejects.toMatchObject({
        code: 'unauthorized',
        message: expect.stringContaining(`kinesis:${action}`),
      });
    },
  );

  it('warns when more members than membersMax read the stream', async () => {
    const group = fresh();
    await using one = open(group, 'one', { membersMax: 1 });
    await using _other = open(group, 'other', { membersMax: 1 });
    const warning = await eventually('the warning is reported', () =>
      one.health().warnings.find(({ message }) => message.includes('membersMax is 1')),
    );
    expect(warning).toMatchObject({ code: 'misconfigured-backend' });
  });
});

function leads(source: LeadershipSource): boolean {
  return source.role(0).isLeading();
}

/**
 * Polls the sources: whether there was a moment without a leader, and the total overlap in
 * milliseconds.
 */
function watch(
  ...sources: readonly LeadershipSource[]
): { isUnled(): boolean; overlapMs(): number } & Disposable {
  let isUnled = false;
  let overlapMs = 0;
  let before = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    const leading = sources.filter(leads).length;
    isUnled ||= leading === 0;
    if (leading > 1) overlapMs += now - before;
    before = now;
  }, 1);
  return {
    isUnled: () => isUnled,
    overlapMs: () => overlapMs,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
