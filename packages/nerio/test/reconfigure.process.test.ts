// A change of members under load, with real connections and state on disk (N13).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import { freePorts } from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import {
  compareEdicts,
  type EdictStamp,
  type NerioOptions,
  type NerioSource,
  nerioLeadership,
  tcpTransport,
} from '../src/index.ts';

const thresholdMs = 1000;
const partitions = 6;
const roles = Array.from({ length: partitions }, (_, partition) => partition);

/** Creates that number of names, each with an address and a state directory. */
async function town(count: number) {
  const state = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
  const ports = await freePorts(count);
  const names = Array.from({ length: count }, (_, index) => `m${index + 1}`);
  const addresses = Object.fromEntries(
    names.map((name, index) => [name, `127.0.0.1:${ports[index]}`]),
  );
  const sources = new Map<string, NerioSource>();
  return {
    names,
    sources,
    open(
      member: string,
      members: NerioOptions['members'],
      options: Partial<NerioOptions> = {},
    ): NerioSource {
      const transport = tcpTransport({ addresses });
      const source = nerioLeadership({
        group: 'g',
        member,
        members,
        thresholdMs,
        partitions,
        stateDirectory: state,
        transport,
        ...options,
      });
      sources.set(member, source);
      return source;
    },
    /** By partition: the sources that lead at this moment. */
    leaders: () =>
      roles.map((role) => [...sources.values()].filter((source) => source.role(role).isLeading())),
    async [Symbol.asyncDispose]() {
      await Promise.all([...sources.values()].map((source) => source.close()));
      await rm(state, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

type Town = Awaited<ReturnType<typeof town>>;

/**
 * Continuous work: leaders create edicts all the time. Records when two lead, and how long no
 * member does.
 */
function workIn({ sources, leaders }: Town) {
  const edicts: EdictStamp[][] = roles.map(() => []);
  const doubled: string[] = [];
  const leaderlessMs = roles.map(() => 0);
  let lookedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    leaders().forEach((found, role) => {
      if (found.length > 1) doubled.push(found.map(({ member }) => member).join(' and '));
      if (found.length === 0) leaderlessMs[role] = (leaderlessMs[role] ?? 0) + now - lookedAt;
    });
    lookedAt = now;
    for (const source of sources.values())
      for (const role of roles) source.edict(role, (stamp) => edicts[role]?.push(stamp));
  }, 5);
  return { edicts, doubled, leaderlessMs, [Symbol.dispose]: () => clearInterval(timer) };
}

const isLed = ({ leaders }: Town): boolean => leaders().every((found) => found.length === 1);

test('three members become five, and three again, under load: never two leaders, and edicts keep their order (N8, N13)', async () => {
  await using group = await town(5);
  const { names } = group;
  const three = names.slice(0, 3);
  const [first] = three.map((name) => group.open(name, three));
  if (first === undefined) throw new Error('there is no first');
  await eventually('all is led', () => isLed(group));
  using work = workIn(group);
  const works = (epoch: number): boolean =>
    work.edicts.every((stamps) => stamps.some((stamp) => stamp.epoch === epoch));
  await eventually('every leader works', () => works(0));
  for (const name of names.slice(3)) group.open(name, three, { joins: true });
  const grown = await first.reconfigure(names);
  expect(grown).toMatchObject({ number: 1, members: names.map((member) => ({ member })) });
  await eventually('every leader of the second epoch works', () => isLed(group) && works(1));
  const last = group.sources.get('m5');
  await eventually('the newest has its share', () => last?.held().size !== 0);
  const shrunk = await first.reconfigure(three);
  expect(shrunk.number).toBe(2);
  await eventually(
    'every leader is one of three, and works',
    () =>
      isLed(group) &&
      works(2) &&
      names.slice(3).every((name) => group.sources.get(name)?.held().size === 0),
  );
  expect(work.doubled).toEqual([]);
  for (const stamps of work.edicts) {
    expect(new Set(stamps.map(({ epoch }) => epoch))).toEqual(new Set([0, 1, 2]));
    const disorder = stamps
      .slice(1)
      .filter((stamp, index) => compareEdicts(stamps[index] ?? stamp, stamp) !== 'before');
    expect(disorder).toEqual([]);
  }
  for (const ms of work.leaderlessMs) expect(ms).toBeLessThan(20 * thresholdMs);
});

test('a mere voter never leads, a mere candidate leads by the votes of others, and both know the leader', async () => {
  await using group = await town(4);
  const members = ['m1', 'm2', 'm3'].map((member) => ({ member, stands: false }));
  const all = [...members, { member: 'm4', votes: false }];
  for (const { member } of all) group.open(member, all, { metadata: { at: member } });
  const candidate = group.sources.get('m4');
  await eventually(
    'the only candidate leads everything',
    () => candidate?.held().size === partitions,
  );
  for (const { member } of members) {
    const voter = group.sources.get(member);
    expect(voter?.held().size).toBe(0);
    const found = await voter?.find(0);
    expect(found).toMatchObject({ member: 'm4', self: false, metadata: { at: 'm4' } });
    const verification = await voter?.verify('m4', 0);
    expect(verification).toMatchObject({ member: 'm4' });
    expect(verification?.isLeading()).toBe(true);
    expect((await voter?.verify('m2', 0))?.isLeading()).toBe(false);
  }
  const [one, another] = [
    candidate?.edict(0, (stamp) => stamp),
    candidate?.edict(0, (stamp) => stamp),
  ];
  expect(one && another && compareEdicts(one, another)).toBe('before');
  expect(group.sources.get('m1')?.edict(0, (stamp) => stamp)).toBeUndefined();
});

test('a leader hands over once its work has drained, to a member that has sent its request meanwhile (N6)', async () => {
  await using group = await town(3);
  for (const name of group.names) group.open(name, group.names);
  await eventually('all is led', () => isLed(group));
  const [leader] = group.leaders()[0] ?? [];
  if (leader === undefined) throw new Error('nobody leads');
  let finish = (): void => undefined;
  const drained = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const term = leader.role(0).term();
  term?.waitUntil(drained);
  const resigned = leader.role(0).resign();
  await eventually('the others know that it leaves', () => term?.signal.aborted === true);
  expect(group.leaders()[0]).toEqual([leader]);
  finish();
  await resigned;
  await eventually('another leads', () => isLed(group));
  const [next] = group.leaders()[0] ?? [];
  expect(next).not.toBe(leader);
  expect(next?.role(0).term()?.token).toBeGreaterThan(term?.token ?? 0n);
});

test('a change of members without its requirements is refused, with the reason', async () => {
  await using group = await town(2);
  const source = group.open('m1', ['m1']);
  await eventually('it leads', () => isLed(group));
  await expect(source.reconfigure(['m1', 'm1'])).rejects.toMatchObject({
    message: 'members cannot elect: "m1" is a member twice',
  });
  await expect(source.verify('m2', 0)).rejects.toMatchObject({
    code: 'invalid-options',
    message: '"m2" is not a member of this epoch: m1',
  });
  const transport = tcpTransport({ listen: { host: '127.0.0.1', port: 0 } });
  await using forgetful = nerioLeadership({
    group: 'h',
    member: 'm2',
    members: ['m2'],
    thresholdMs,
    partitions,
    transport,
  });
  const needsState = {
    code: 'invalid-options',
    message: expect.stringContaining('a change of members needs a stateDirectory') as string,
  };
  await expect(forgetful.reconfigure(['m1', 'm2'])).rejects.toMatchObject(needsState);
});
