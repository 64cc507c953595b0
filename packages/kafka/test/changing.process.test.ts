// Groups whose members change: a new member causes the fewest moves, an idle member costs little,
// and a whole group moves to Kafka.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, stallMeter } from '@leadership/testkit/adapter';
import { type ProcessMember, spawnMember } from '@leadership/testkit/faults';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processGroups, startGroup, thresholdMs } from './support/member-processes.ts';
import { ledNow, longestSilenceMs, settled, termChangesSince } from './support/term-changes.ts';
import { contentOf } from './support/with-topic.ts';

const options = { brokers: 1, proxied: false } as const;
/**
 * A partition changes its leader at most once in 2 T (L9), so the placement is stable after that
 * time, in milliseconds.
 */
const quietMs = 2.5 * thresholdMs;
/**
 * A starved leader loses its lease, and a newcomer does not cause the moves that follow: the number
 * of attempts to find a quiet period.
 */
const roundsMax = 4;
/** The time for that number of rounds, in milliseconds. */
const limit = { timeout: 300_000 };

describe.runIf(await hasKafka(options))('members that change', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka(options);
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  test.concurrent(
    'L9: of 16 partitions, 4 → 5 members, the share of the newcomer moves to it, and no other term ends',
    limit,
    async () => {
      const partitions = 16;
      // A loss is more likely among sixteen leases, and longer leases need fewer rounds.
      const longer = 2.5 * thresholdMs;
      using stall = stallMeter();
      await using group = startGroup({
        bootstrap: kafka.bootstrap,
        topic: 'joined',
        options: { partitions, thresholdMs: longer },
      });
      await group.joinAll('a', 'b', 'c', 'd');
      for (let round = 1; ; round += 1) {
        await settled(group.members, partitions, 4, 2.5 * longer);
        stall.take();
        const fromNs = process.hrtime.bigint();
        const { member: newcomer, close } = await group.join(`newcomer-${round}`);
        await settled(group.members, partitions, 5, 2.5 * longer);
        const changes = termChangesSince(group.members, fromNs);
        const isQuiet = changes.every(({ kind }) => kind !== 'fenced') && stall.take() < longer / 2;
        if (isQuiet || round === roundsMax) {
          expect(changes.filter(({ kind }) => kind === 'fenced')).toEqual([]);
          const moved = new Set(
            changes.filter(({ kind }) => kind === 'released').map(({ partition }) => partition),
          );
          const led = [...ledNow(group.members)]
            .filter(([, member]) => member === newcomer)
            .map(([partition]) => partition);
          // Another member may take a partition before a starved newcomer, and hand it over later.
          // In the end the newcomer leads it.
          expect(moved).toEqual(new Set(led));
          expect([3, 4]).toContain(led.length);
          return;
        }
        await close();
      }
    },
  );

  test.concurrent(
    'M1: a member that leads nothing writes that it is there twice in T, and nothing else',
    limit,
    async () => {
      await using group = startGroup({ bootstrap: kafka.bootstrap, topic: 'idle' });
      await group.joinAll('a', 'b', 'c', 'd', 'e');
      const calmMs = 2 * thresholdMs;
      const longestStallMs = async (): Promise<number> =>
        Math.max(...(await Promise.all(group.members.map((member) => member.stallMs()))));
      // A member that does not hear from the leader for T opens a session to claim, and keeps the
      // session for T if one of them was only late: the log is watched while no member is late, and
      // none was in the time before.
      for (let isCalm = false; !isCalm; ) {
        await settled(group.members, 1, 5, quietMs);
        await longestStallMs();
        const fromNs = process.hrtime.bigint();
        const count = termChangesSince(group.members).length;
        await pause(calmMs);
        const before = await contentOf(kafka, 'idle');
        await pause(calmMs);
        const after = await contentOf(kafka, 'idle');
        isCalm =
          count === termChangesSince(group.members).length &&
          longestSilenceMs(group.members, fromNs) < (2 / 3) * thresholdMs &&
          (await longestStallMs()) < thresholdMs / 3;
        if (!isCalm) continue;
        const records = after.values.slice(Math.max(0, Number(before.end - after.start)));
        // The removal of a session that ended earlier (M11) is no writing of an idle member.
        const changed = records.flatMap(rowsWrittenBy);
        const [sessions, others] = partition(changed, (row) => /^idle\0session#/.test(row));
        expect(new Set(sessions).size).toBe(1);
        expect(sessions.length).toBeGreaterThan(3);
        expect(others.filter((row) => !/^idle\0member#/.test(row))).toEqual([]);
        expect(others.length).toBeLessThanOrEqual(5 * 4);
      }
    },
  );

  test.concurrent('I7: a group moves from files to Kafka, with one leader at a time and growing tokens', async () => {
    const home = await mkdtemp(join(tmpdir(), 'leadership-kafka-'));
    const places = {
      A: `file:${encodeURI(home)}?group=g`,
      B: `kafka://${kafka.bootstrap.join()}/g?topic=moved&topicCheck=safety`,
    };
    const partitions = 2;
    const start = async (order: 'A' | 'AB' | 'BA' | 'B', name: string): Promise<ProcessMember> => {
      const module = new URL('support/combined.mjs', import.meta.url);
      for (const place of order) module.searchParams.append('of', places[place as 'A' | 'B']);
      const work = { kind: 'drain', drainMs: 20 } as const;
      return spawnMember({
        url: 'file:unused',
        module: module.href,
        options: { member: `${order}-${name}`, partitions, thresholdMs },
        work,
      });
    };
    await using group = processGroups();
    const ledBy = (order: string): Promise<true> =>
      eventually(`those of ${order} lead`, () => {
        const led = [...ledNow(group.members).values()];
        return led.length === partitions && led.every((member) => member.startsWith(`${order}-`));
      });
    try {
      let [closed, killed] = [group.add(await start('A', '1')), group.add(await start('A', '2'))];
      await ledBy('A');
      for (const order of ['AB', 'BA', 'B'] as const) {
        const next = [group.add(await start(order, '1'))] as const;
        await closed.close();
        const other = group.add(await start(order, '2'));
        await killed.kill();
        await ledBy(order);
        [closed, killed] = [next[0], other];
      }
      group.assertSound(8);
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });
});

/** Returns the items for which a condition holds, and the others. */
function partition(
  items: readonly string[],
  isFirst: (item: string) => boolean,
): readonly [string[], string[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** Returns the rows that a record replaces or creates, or the record itself if it is no entry. */
function rowsWrittenBy(value: string | null): readonly string[] {
  const { kind, changes = [] } = JSON.parse(value ?? '{}') as {
    readonly kind?: string;
    readonly changes?: readonly [name: string, expected: string | null, text: string | null][];
  };
  if (kind !== 'batch') return [String(value)];
  return changes.filter(([, , text]) => text !== null).map(([name]) => name);
}
