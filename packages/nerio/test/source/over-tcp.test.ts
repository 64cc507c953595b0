// Complete members, as applications open them, over real connections.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openLeadership } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { freePorts } from '@leadership/testkit/faults';
import { expect, test } from 'vitest';
import { backend, type NerioSource, nerioLeadership, tcpTransport } from '../../src/index.ts';
import { keys } from '../support/wire.ts';

test('members that are named by their addresses elect a leader, and another once it has left', async () => {
  const names = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
  const open = (member: string): ReturnType<typeof openLeadership> =>
    openLeadership(`nerio://${names.join(',')}/g?member=${encodeURIComponent(member)}`, {
      thresholdMs: 600,
      partitions: 1,
      metadata: { at: member },
      load: () => Promise.resolve({ backend }),
    });
  const [a, b, c] = await Promise.all(names.map(open));
  if (a === undefined || b === undefined || c === undefined) throw new Error('three were opened');
  await Promise.all([a, b, c].map((source) => source.ready()));
  const leads = (source: typeof a): boolean => source.role('x').isLeading();
  const othersKnow = (leader: typeof a): boolean =>
    [a, b, c].every(
      (source) => source === leader || source.role('x').leader()?.metadata['at'] === leader.member,
    );
  // Checked again each time: on a starved machine a lease may expire.
  await eventually('one leads, and the others know', () =>
    [a, b, c].some((source) => leads(source) && othersKnow(source)),
  );
  const first = [a, b, c].find(leads) ?? a;
  const rest = [a, b, c].filter((source) => source !== first);
  await first.close();
  await eventually('another leads', () => rest.some(leads));
  await Promise.all(rest.map((source) => source.close()));
});

test('of two processes under the name of the only voter, the one that cannot listen does not lead until it can', async () => {
  const [name = ''] = (await freePorts(1)).map((port) => `127.0.0.1:${port}`);
  const common = {
    group: 'g',
    member: name,
    members: [name],
    thresholdMs: 300,
    partitions: 1,
    log: false,
  } as const;
  const first = nerioLeadership(common);
  await first.ready();
  const second = nerioLeadership(common);
  const isSecondLeading = (): boolean => second.role('x').isLeading();
  await eventually('the first leads, and the second reports the port', () => {
    return (
      first.role('x').isLeading() &&
      second.health().troubles.some(({ message }) => message.includes('EADDRINUSE'))
    );
  });
  // Longer than any wait of a member at its start, which ends with T and its drift.
  await pause(1500);
  expect([first.role('x').isLeading(), isSecondLeading()]).toEqual([true, false]);
  await first.close();
  await eventually('the second leads', isSecondLeading);
  await second.close();
});

test('a member that is restarted with another list of members refuses, and the others continue (R4)', async () => {
  const names = (await freePorts(5)).map((port) => `127.0.0.1:${port}`);
  const open = (member: string, members: readonly string[]): NerioSource =>
    nerioLeadership({ group: 'g', member, members, thresholdMs: 600, partitions: 1, log: false });
  const three = names.slice(0, 3);
  const before = three.map((member) => open(member, three));
  await Promise.all(before.map((source) => source.ready()));
  await eventually('one leads', () => before.some((source) => source.role('x').isLeading()));
  const restarted = before.filter((source) => !source.role('x').isLeading()).slice(0, 1);
  const rest = before.filter((source) => !restarted.includes(source));
  await Promise.all(restarted.map((source) => source.close()));
  const after = restarted.map(({ member }) => open(member, names));
  for (const source of after)
    await expect(source.ready()).rejects.toMatchObject({ code: 'partitions-differ' });
  const isReported = (source: NerioSource): boolean =>
    source.health().troubles.some(({ code }) => code === 'partitions-differ');
  await eventually('the others report it', () => rest.some(isReported));
  await eventually('one of the others leads', () =>
    rest.some((source) => source.role('x').isLeading()),
  );
  expect(after.some((source) => source.role('x').isLeading())).toBe(false);
  await Promise.all([...rest, ...after].map((source) => source.close()));
});

test('members with other keys find no quorum, and report the reason', async () => {
  const names = (await freePorts(4)).map((port) => `127.0.0.1:${port}`);
  const members = names.map((member, index) => ({ member, votes: index > 0 }));
  const other = { sign: 'k1', accept: { k1: 'a key that no other member has' } };
  const sources = names.map((member, index) =>
    nerioLeadership({
      group: 'g',
      member,
      members,
      thresholdMs: 600,
      partitions: 1,
      transport: tcpTransport({ keys: index === 0 ? other : keys }),
    }),
  );
  const [stranger, ...rest] = sources;
  await expect(stranger?.ready()).rejects.toMatchObject({ code: 'unauthorized' });
  await Promise.all(rest.map((source) => source.ready()));
  await eventually('one of the others leads', () =>
    rest.some((source) => source.role('x').isLeading()),
  );
  await eventually('the stranger is counted', () =>
    rest.some((source) => (source.health().ignored['forged'] ?? 0) > 0),
  );
  await Promise.all(sources.map((source) => source.close()));
});

test.each(['without', 'with'])(
  'a member %s a directory whose keys cannot be loaded at the start sends nothing, and reports the error',
  async (_) => {
    const [a, b, c] = (await freePorts(3)).map((port) => `127.0.0.1:${port}`);
    if (a === undefined || b === undefined || c === undefined)
      throw new Error('three were requested');
    const state = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
    const stateDirectory = _ === 'with' ? { stateDirectory: state } : {};
    let asked = 0;
    const once = (): typeof keys => {
      asked += 1;
      if (asked > 1) throw new Error('the store is closed');
      return keys;
    };
    const common = { group: 'g', members: [a, b, c], thresholdMs: 600, partitions: 1 };
    // Two members without keys would accept unsigned messages.
    const others = [b, c].map((member) =>
      nerioLeadership({ ...common, member, transport: tcpTransport() }),
    );
    const source = nerioLeadership({
      ...common,
      ...stateDirectory,
      member: a,
      transport: tcpTransport({ keys: once }),
    });
    await expect(source.ready()).rejects.toMatchObject({
      code: 'unauthorized',
      message: 'keys() threw: the store is closed',
    });
    expect(source.health().troubles).toMatchObject([
      { code: 'unauthorized', message: 'keys() threw: the store is closed' },
    ]);
    await expect(source.find('x')).rejects.toMatchObject({ code: 'unauthorized' });
    await eventually('the others elect one', () =>
      others.some((other) => other.role('x').isLeading()),
    );
    expect(others.every((other) => other.role('x').leader()?.member !== a)).toBe(true);
    await Promise.all([source, ...others].map((one) => one.close()));
    await rm(state, { recursive: true, force: true });
  },
);

test('a member without a usable address is refused before anything starts', () => {
  const transport = tcpTransport({ insecure: true });
  const options = {
    group: 'g',
    member: 'a.example:7400',
    members: ['a.example:7400', 'b'],
    transport,
  };
  expect(() => nerioLeadership(options)).toThrow(
    /transport: member "b" is not a HOST:PORT: addresses must contain its HOST:PORT/,
  );
  expect(() =>
    nerioLeadership({ ...options, members: ['a', 'b.example:7400'], member: 'a' }),
  ).toThrow(/transport: member "a" is not a HOST:PORT: set listen.port/);
});
