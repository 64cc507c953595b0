import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, startKafka } from '@leadership/tools/kafka';
import { describe, expect, test } from 'vitest';
import { startGroup } from './support/member-processes.ts';
import { ledNow } from './support/term-changes.ts';

const [partitions, thresholdMs] = [1_000, 3_000];

describe.runIf(await hasKafka({ brokers: 1 }))('a thousand partitions', () => {
  test('are led, and shared out, by three members', async () => {
    await using kafka = await startKafka({ brokers: 1, proxied: false });
    await using members = startGroup({
      bootstrap: kafka.bootstrap,
      topic: 'many',
      options: { partitions, thresholdMs },
    });
    const begunAt = performance.now();
    await members.joinAll('a', 'b', 'c');
    const shares = (): readonly number[] => {
      const leaders = [...ledNow(members.members).values()];
      return ['a', 'b', 'c'].map((member) => leaders.filter((leader) => leader === member).length);
    };
    await eventually(
      'all are led, and no member leads more than its share',
      () =>
        shares().reduce((all, share) => all + share) === partitions &&
        Math.max(...shares()) <= Math.ceil(partitions / 3),
      { details: () => `: ${shares().join(', ')}` },
    );
    process.stdout.write(
      `${partitions} partitions settled in ${((performance.now() - begunAt) / thresholdMs).toFixed(1)} T\n`,
    );
    members.assertSound(partitions);
    expect(ledNow(members.members).size).toBe(partitions);
  });
});
