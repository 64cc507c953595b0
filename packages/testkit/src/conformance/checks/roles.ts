// Conformance checks of how roles are hashed onto partitions.
import { LeadershipError } from '@leadership/core';
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';

/** Key → the hash Kafka's own tests expect of its default partitioner, its sign bit cleared. */
const kafkaHashes: ReadonlyMap<string, number> = new Map(
  Object.entries({
    '21': -973_932_308,
    foobar: -790_332_482,
    'a-little-bit-long-string': -985_981_536,
    'a-little-bit-longer-string': -1_486_304_829,
    abc: 479_470_107,
  }).map(([key, hash]) => [key, hash & 0x7fffffff]),
);

/** R1, R2: the mapping of roles to partitions. */
export const rolesMapToPartitions: Check = defineCheck({
  id: 'roles-map-to-partitions',
  title:
    'A numeric role j maps to partition j mod M, and a named role maps to the partition that Kafka assigns to a record with that key; looking up a role moves no partition (R1, R2)',
  async run(context) {
    const partitions = 5;
    const source = context.open('a', { partitions });
    await context.until('a leads every partition', () => source.held().size === partitions);
    const before = [...source.held().values()].map(({ token }) => token).join();
    for (const [key, hash] of kafkaHashes) {
      assert(
        source.role(key).partition === hash % partitions,
        `role "${key}" is in partition ${source.role(key).partition}, not in ${hash % partitions}`,
      );
    }
    for (const key of [0, 4, 5, 1_000_003])
      assert(
        source.role(key).partition === key % partitions,
        `role ${key} is not in partition ${key % partitions}`,
      );
    assert(
      source.role('abc').isLeading() &&
        source.role('abc').term() === source.role(479_470_107).term(),
      'two roles of one partition have two terms',
    );
    assert(
      [...source.held().values()].map(({ token }) => token).join() === before,
      'asking about roles moved a partition',
    );
  },
});

/** R3: a different number of partitions. */
export const partitionsDiffer: Check = defineCheck({
  id: 'partitions-differ',
  title:
    'A member whose M differs from that of its group is rejected with `partitions-differ` and never leads (R3)',
  appliesTo: ({ exclusive }) => exclusive,
  async run(context) {
    const right = context.open('a', { partitions: 2 });
    await context.leader([right], 1);
    const wrong = context.open('b', { partitions: 3 });
    const refusal = await context.settled(
      'ready() of the member with another M settles',
      wrong.ready().catch((error: unknown) => error),
    );
    assert(
      refusal instanceof LeadershipError && refusal.code === 'partitions-differ',
      `it was not refused with partitions-differ, but ready() answered: ${String(refusal)}`,
    );
    const leads = (): boolean => [0, 1, 2].some((partition) => wrong.role(partition).isLeading());
    await watchFor(2 * context.thresholdMs, () =>
      leads() ? 'a member with another M led' : undefined,
    );
    await context.settled('the member with the M of the group closes', right.close());
    await watchFor(2 * context.thresholdMs, () =>
      leads() ? 'a member with another M led once the others were gone' : undefined,
    );
  },
});
