import type { LeadershipSource } from '@leadership/core';
import { hasDynamoDb } from '@leadership/tools/aws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KinesisOptions, kinesisLeadership, openKinesisLeadership } from '../../src/index.ts';
import { eventually } from '../support/eventually.ts';
import { type LocalStream, localStream } from '../support/local-stream.ts';
import { type LocalTable, localTable } from '../support/local-table.ts';
import { watchSoundness } from '../support/soundness.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.runIf(await hasDynamoDb())('while shards are split and merged', () => {
  let table: LocalTable;
  let stream: LocalStream;
  beforeAll(async () => {
    [table, stream] = await Promise.all([localTable(), localStream(2)]);
  });
  afterAll(async () => {
    await Promise.all([table[Symbol.asyncDispose](), stream[Symbol.asyncDispose]()]);
  });

  const optionsOf = (group: string, member: string): KinesisOptions => ({
    table: table.name,
    stream: stream.name,
    group,
    member,
    thresholdMs: 1500,
    dynamodb: table.config(`${group}/${member}`),
    kinesis: stream.config(`${group}/${member}`),
  });
  const closeAll = (sources: readonly LeadershipSource[]) =>
    Promise.all(sources.map((source) => source.close({ signal: AbortSignal.timeout(3000) })));

  it('R3: a group keeps the number of partitions from its creation, and no partition has two leaders', async () => {
    const group = `counted-${crypto.randomUUID()}`;
    const sources = await Promise.all(
      ['a', 'b'].map((member) => openKinesisLeadership(optionsOf(group, member))),
    );
    using soundness = watchSoundness(sources, 2);
    expect(sources.map(({ partitions }) => partitions)).toEqual([2, 2]);
    await eventually('each member leads one partition', () =>
      sources.every((source) => source.held().size === 1),
    );
    const [first] = await stream.shards();
    if (first === undefined) throw new Error('the stream has no shard');
    await stream.split(first);
    const late = await openKinesisLeadership(optionsOf(group, 'late'));
    sources.push(late);
    expect(late.partitions).toBe(2);
    const resharding = stream.reshard();
    for (const source of [...sources]) await source.role(0).resign();
    await resharding;
    await eventually('a member leads partition 0', () =>
      sources.some((source) => source.role(0).isLeading()),
    );
    soundness.insist();
    await closeAll(sources);
  });

  it('I1: beats keep arriving, so the term of a continuous leader does not end', async () => {
    const group = `beats-${crypto.randomUUID()}`;
    // A term ends if no beat arrives for T, and a lease without a renewal moves. Both are longer
    // here than any stall of the machine.
    const [thresholdMs, leaseMs] = [6000, 5000];
    const open = (member: string) =>
      kinesisLeadership({
        ...optionsOf(group, member),
        guarantee: 'continuous',
        partitions: 1,
        thresholdMs,
        leaseMs,
      });
    const sources = ['a', 'b'].map(open);
    const leader = await eventually('a member leads', () =>
      sources.find((source) => source.role(0).isLeading()),
    );
    const token = leader.role(0).term()?.token;
    for (let round = 0; round < 2; round += 1) await stream.reshard();
    await pause(1.2 * thresholdMs);
    expect(leader.role(0).term()?.token).toBe(token);
    await closeAll(sources);
  });
});
