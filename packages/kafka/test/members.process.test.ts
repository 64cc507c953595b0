import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import type { ProcessMember, TcpProxy } from '@leadership/testkit/faults';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { manyMembers } from './support/many-members.ts';
import {
  isTroubled,
  type MemberProcesses,
  startGroup,
  thresholdMs,
} from './support/member-processes.ts';
import { ownProxies } from './support/own-proxies.ts';
import { ledNow } from './support/term-changes.ts';
import { administered, makeTopic } from './support/topics.ts';
import { contentOf, withTopic } from './support/with-topic.ts';

const config = { 'group.min.session.timeout.ms': 300 };
const oftenCopying = new URL('support/often-copying.mjs', import.meta.url).href;

describe.runIf(await hasKafka({ brokers: 1, config }))('members', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka({ brokers: 1, config, proxied: false });
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  const crewOn = (topic: string): MemberProcesses =>
    startGroup({ bootstrap: kafka.bootstrap, topic });

  test.each([
    ['cut off', ({ cut }: TcpProxy) => cut()],
    ['half-open', ({ halfOpen }: TcpProxy) => halfOpen()],
    ['delayed by 2 T', ({ delay }: TcpProxy) => delay(2 * thresholdMs)],
    ['deaf', ({ cutOneWay }: TcpProxy) => cutOneWay('to-client')],
    ['mute', ({ cutOneWay }: TcpProxy) => cutOneWay('to-server')],
  ] as const)('one member alone is %s: another leads, and it comes back', async (name, befall) => {
    await using connections = await ownProxies(kafka);
    await using members = crewOn(name.replaceAll(' ', '-'));
    const member = await members.join('a', connections.module);
    await members.leader();
    await members.joinAll('b');
    const before = await members.ledBy(member);
    connections.proxies.forEach(befall);
    await members.leader(0, before);
    await member.until(({ kind, atNs }) => kind === 'fenced' && atNs > before.acquired.atNs);
    connections.proxies.forEach(({ mend }) => mend());
    await eventually('it is well again', () => !isTroubled(member, 'unreachable'));
    const then = await members.leader();
    // If the other member was starved, this one leads already.
    if (then.member !== member) {
      await then.member.kill();
      expect((await members.leader(0, then)).member).toBe(member);
    }
    members.assertSound(3);
  });

  test('a member whose connections are silently gone fetches over new ones: no data, no FIN, no RST', async () => {
    await using connections = await ownProxies(kafka);
    await using members = crewOn('silent');
    await members.joinAll('b');
    const before = await members.leader();
    const member = await members.join('a', connections.module);
    await member.until(({ kind }) => kind === 'ready');
    for (const { silence } of connections.proxies) silence();
    await eventually('its requests are lost', () =>
      connections.proxies.some(({ counters }) => counters.bytesDiscarded > 0),
    );
    await before.member.kill();
    // It leads only once it has read its own claim.
    expect((await members.leader(0, before)).member).toBe(member);
    members.assertSound(2);
  });

  test('the member that assigns dies while members wait for its plan: they wait, and none reports trouble', async () => {
    // Slow answers of brokers soon count as trouble under a short T.
    const patient = {
      options: { thresholdMs: 9 * thresholdMs },
      query: '&guarantee=continuous&sessionTimeoutMs=6000',
    };
    await using members = startGroup({ bootstrap: kafka.bootstrap, topic: 'planless', ...patient });
    // The first member assigns. A dead member then delays the next join for all members, including
    // the one that assigns.
    for (const name of ['first', 'dead', 'other']) await members.joinAll(name);
    const [first, dead] = members.members;
    await eventually('all are in the group', () => isPlannedFor('leadership:planless:planless', 3));
    await dead?.kill();
    const last = await members.join('last');
    await last.until(({ kind }) => kind === 'ready', 60_000);
    // The other members learn of a join from their heartbeats, after a sixth of T.
    await pause(1.5 * thresholdMs);
    await first?.kill();
    await members.leader();
    // Until both are missed, and the plan was made by another.
    await eventually('all of the living are in the group', () =>
      isPlannedFor('leadership:planless:planless', 2),
    );
    expect(
      members.members.flatMap(({ events }) => events.filter(({ kind }) => kind === 'health')),
    ).toEqual([]);
  });

  test('two elections share a topic that is cut frequently, and neither is affected by faults of the other (I6, L10)', async () => {
    // All members of the topic must copy at the same pace: the sender of the tenth entry appends the copy.
    const often = { bootstrap: kafka.bootstrap, topic: 'shared', module: oftenCopying };
    await using one = startGroup({ ...often, group: 'one' });
    await using other = startGroup({ ...often, group: 'other' });
    await one.joinAll('a', 'b');
    await other.joinAll('c', 'd');
    await other.leader();
    const { start: cutTo } = await contentOf(kafka, 'shared', ({ start }) => start > 0n);
    const fromNs = process.hrtime.bigint();
    for (let round = 0; round < 3; round += 1) {
      const leading = await one.leader();
      if (round % 2 === 0) leading.member.resign(0);
      else await leading.member.kill();
      await one.leader(0, leading);
    }
    // A starved machine may cost a lease; a record of the first election must not.
    const ends = other.members.flatMap(({ events }) =>
      events.filter(
        ({ kind, atNs }) => kind === 'released' || (kind === 'fenced' && atNs > fromNs),
      ),
    );
    expect(ends.filter(({ atNs, detail }) => atNs > fromNs && detail !== 'expired')).toEqual([]);
    await other.leader();
    await contentOf(kafka, 'shared', ({ start }) => start > cutTo);
    await (await other.join('e')).until(({ kind }) => kind === 'ready', 60_000);
    one.assertSound(4);
    other.assertSound(1);
  });

  test('members of two releases contend, and one after the other is replaced by the later one: two never lead (L1)', async () => {
    const later = new URL('support/later-release.mjs', import.meta.url).href;
    await using members = startGroup({
      bootstrap: kafka.bootstrap,
      topic: 'releases',
      options: { partitions: 3 },
    });
    const gone = new Set<ProcessMember>();
    const kill = async (member: ProcessMember): Promise<void> => {
      await member.kill();
      gone.add(member);
    };
    const everywhere = (): Promise<true> =>
      eventually(
        'the living lead everywhere',
        () => ledNow(members.members.filter((member) => !gone.has(member))).size === 3,
      );
    await members.joinAll('old-1', 'old-2');
    await everywhere();
    for (const [index, leaves] of members.members.slice().entries()) {
      const comes = await members.join(`new-${index + 1}`, later);
      await comes.until(({ kind }) => kind === 'acquired', 60_000);
      await kill(leaves);
      await everywhere();
    }
    // And back again: what the later release wrote is read by this one.
    const back = await members.join('old-3');
    await back.until(({ kind }) => kind === 'acquired', 60_000);
    const leading = await members.leader(
      back.events.findLast(({ kind }) => kind === 'acquired')?.partition,
    );
    await kill(leading.member);
    await everywhere();
    // At least three terms at first, one per newcomer, and one after the last member left. Other
    // members that left usually led something too.
    members.assertSound(7);
    const said = members.members.flatMap(({ events }) =>
      events.filter(({ kind }) => kind === 'health').map(({ detail }) => detail),
    );
    expect(said).not.toContain('trouble assumption-broken');
    // It did send other records.
    const { values } = await withTopic(kafka, 'releases', ({ read }) => read(0));
    expect(values.some((value) => value?.includes('"witness"'))).toBe(true);
  });

  test('a hundred of them share 512 partitions: what the coordinator keeps of them fits into one record', async () => {
    await makeTopic(kafka, { topic: 'many', numPartitions: 1, replicationFactor: 1 });
    await using members = manyMembers(kafka.bootstrap, 'many', 100, 512);
    await eventually('each knows its own partitions, and all the others', () => {
      const shares = [...members.plans.values()]
        .filter((plan) => plan.members.size === 100)
        .map(({ share }) => share);
      const isOnePlan = new Set(shares.map((share) => share?.plan)).size === 1;
      return (
        shares.length === 100 &&
        isOnePlan &&
        new Set(shares.flatMap((share) => share?.partitions ?? [])).size === 512
      );
    });
  });

  function isPlannedFor(groupId: string, count: number): Promise<boolean> {
    return administered(kafka, async (admin) => {
      const [group] = (await admin.describeGroups([groupId])).groups;
      return group?.state === 'Stable' && group.members.length === count;
    });
  }
});
