import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, startKafka } from '@leadership/tools/kafka';
import { describe, expect, test } from 'vitest';
import { clientNames } from './support/clients.ts';
import { isTroubled, startGroup } from './support/member-processes.ts';
import { configure, type Entry, makeTopic } from './support/topics.ts';
import { contentOf } from './support/with-topic.ts';

/** The cleaner looks for work all the time. */
const options = { brokers: 1, config: { 'log.cleaner.backoff.ms': 200 } } as const;

const policy = (value: string): Entry => ({ name: 'cleanup.policy', value });
/** Each record begins a segment after that time, and only the last segment is not cleaned. */
const segments: Entry = { name: 'segment.ms', value: '100' };
const eager: Entry = { name: 'min.cleanable.dirty.ratio', value: '0.01' };

describe.runIf(await hasKafka(options))('a topic in use', () => {
  test('is compacted, and its old records are removed: no member leads meanwhile, and health() says why; two never lead, and tokens grow (M6)', {
    timeout: 300_000,
  }, async () => {
    const topic = 'compacted';
    await using kafka = await startKafka(options);
    await makeTopic(kafka, {
      topic,
      numPartitions: 1,
      configEntries: [policy('delete'), segments],
    });
    await using members = startGroup({
      bootstrap: kafka.bootstrap,
      topic,
      query: (nth) => `&client=${clientNames[nth % clientNames.length]}`,
    });
    await members.joinAll('a', 'b');
    const first = await members.leader();
    await contentOf(kafka, topic, ({ end }) => end > 20n);
    await configure(kafka, topic, [policy('compact'), segments, eager]);
    await first.member.until(
      ({ kind, atNs }) => kind === 'fenced' && atNs > first.acquired.atNs,
      60_000,
    );
    await eventually('health() says why', () => isTroubled(first.member, 'misconfigured-backend'));
    await contentOf(kafka, topic, ({ values, start, end }) => values.length < end - start);
    const late = await members.join('late');
    await late.until(({ kind }) => kind === 'refused', 60_000);
    await configure(kafka, topic, [policy('delete'), segments]);
    const next = await members.leader(0, first);
    expect(next.acquired.token).toBeGreaterThan(first.acquired.token ?? 0n);
    // They begin to read where records are missing, one with each client.
    await members.joinAll('c', 'd');
    await next.member.kill();
    const last = await members.leader(0, next);
    expect(last.acquired.token).toBeGreaterThan(next.acquired.token ?? 0n);
    members.assertSound(3);
  });
});
