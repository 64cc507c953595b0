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

  const open = (group: string, member: string, options: Partial<KinesisOptions> = {}): LeadershipSource =>
    kinesisLeadership({
      ...{ table: table.name, stream: stream.name, group, member, partitions: 1, thresholdMs, guarantee: 'continuous' },
      dynamodb: table.config(`${group}/${member}`),
      kinesis: stream.config(`${group}/${member}`),
      ...options,
    });
  const fresh = (): string => `group-${crypto.randomUUID()}`;

  it('I1: a leader that the table does not answer leads on until another does, and then no longer than was promised', async () => {
    const group = fresh();
    // A machine on which no beat comes through for T ends any term: a T that none here stands still for.
    const patient = { thresholdMs: 2 * thresholdMs, leaseMs: thresholdMs / 3 };
    await using one = open(group, 'one', patient);
    await using other = open(group, 'other', patient);
    const leader = await eventually('one of them leads', () => [one, other].find(leads));
    const next = leader === one ? other : one;
    await next.ready();
    const seen = watch(leader, next);
    using _cut = table.proxy.inject({ kind: 'cut' }, { line: `${group}/${leader.member}` });
    await eventually('the other leads', () => leads(next));
    await eventually('who was cut off leads no more', () => !leads(leader));
    expect(seen.isUnled()).toBe(false);
    expect(seen.overlapMs()).toBeLessThanOrEqual(Number(leader.guarantees.overlapMsMax));
    seen[Symbol.dispose]();
  });

  it('I4: beats that fail end it, whatever the table says, and it leads again once they come back', async () => {
    const group = fresh();
    await using one = open(group, 'one');
    await eventually('it leads', () => leads(one));
    const lost = stream.proxy.inject({ kind: 'cut' }, { line: `${group}/one` });
    await eventually('it leads no more', () => !leads(one));
    await eventually('it is told', () => !one.health().ok);
    lost[Symbol.dispose]();
    await eventually('it leads again', () => leads(one));
  });

  it('R3: a member that is promised something else is refused, either way round', async () => {
    const group = fresh();
    await using continuous = open(group, 'continuous');
    await continuous.ready();
    await using exclusive = open(group, 'exclusive', { guarantee: 'exclusive' });
    await expect(exclusive.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('runs with guarantee "continuous", but this member is configured with "exclusive"'),
    });
    const other = fresh();
    await using first = open(other, 'first', { guarantee: 'exclusive' });
    await first.ready();
    await using second = open(other, 'second');
    await expect(second.ready()).rejects.toMatchObject({ code: 'misconfigured-backend' });
  });

  it.each(['ListShards', 'GetRecords', 'PutRecords'])('is refused where an action of the stream is denied: %s', async (action) => {
    const group = fresh();
    const denied = { kind: 'error', code: 'AccessDeniedException' } as const;
    using _denied = stream.proxy.inject(denied, { line: `${group}/one`, operations: [action] });
    await using one = open(group, 'one');
    await expect(one.ready()).rejects.toMatchObject({ code: 'unauthorized', message: expect.stringContaining(`kinesis:${action}`) });
  });

  it('says that more members read the stream than were reckoned with', async () => {
    const group = fresh();
    await using one = open(group, 'one', { membersMax: 1 });
    await using _other = open(group, 'other', { membersMax: 1 });
    const warning = await eventually('it is told', () => one.health().warnings.find(({ message }) => message.includes('membersMax is 1')));
    expect(warning).toMatchObject({ code: 'misconfigured-backend' });
  });
});

function leads(source: LeadershipSource): boolean {
  return source.role(0).isLeading();
}

/** Asks both at once, again and again: whether nobody led, and for how long in all both did. */
function watch(...sources: readonly LeadershipSource[]): { isUnled(): boolean; overlapMs(): number } & Disposable {
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
  return { isUnled: () => isUnled, overlapMs: () => overlapMs, [Symbol.dispose]: () => clearInterval(timer) };
}
