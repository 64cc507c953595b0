// Members over an in-memory network: how the driver connects the machine, its host and a transport.
// The test controls the time, so that no machine is too slow for a lease.
import { LeadershipError } from '@leadership/core';
import { passFor, passUntil } from '@leadership/testkit/vitest';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  type GossipMember,
  type OpenGossip,
  type ScuttlebuttOptions,
  type ScuttlebuttSource,
  scuttlebuttLeadership,
} from '../../src/index.ts';
import { memoryNetwork } from '../support/memory-network.ts';

const boot = vi.hoisted(() => ({ sleptMs: 0 }));
// The test suspends the machine by boot time, which runs on while the monotonic clock is stopped.
vi.mock('node:os', async (original) => ({
  ...(await original<typeof import('node:os')>()),
  uptime: () => (performance.now() + boot.sleptMs) / 1000,
}));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const names = ['a', 'b', 'c'];

/** Members of a group. The first three are the voters; all are closed with the test. */
function group(options: Partial<ScuttlebuttOptions> = {}, members: readonly string[] = names) {
  const network = memoryNetwork();
  const sources: ScuttlebuttSource[] = [];
  const open = (member: string, more: Partial<ScuttlebuttOptions> = {}): ScuttlebuttSource => {
    const source = scuttlebuttLeadership({
      group: 'g',
      voters: names,
      transport: network.open,
      thresholdMs: 600,
      membersMax: 4,
      partitions: 1,
      member,
      log: false,
      ...options,
      ...more,
    });
    sources.push(source);
    return source;
  };
  for (const member of members) open(member);
  const isolate = (member: string): Disposable => {
    const cuts = names
      .filter((name) => name !== member)
      .flatMap((name) => [network.cut(member, name), network.cut(name, member)]);
    return { [Symbol.dispose]: () => cuts.forEach((cut) => void cut[Symbol.dispose]()) };
  };
  return {
    network,
    open,
    sources,
    isolate,
    [Symbol.asyncDispose]: () =>
      passUntil(Promise.all(sources.map((source) => source.close()))).then(() => undefined),
  };
}

/** Returns the one of them that leads. No other one may lead at that moment. */
async function leaderOf(sources: readonly ScuttlebuttSource[]): Promise<ScuttlebuttSource> {
  return await passFor(() => {
    const [leader, ...others] = sources.filter((source) => source.role(0).isLeading());
    expect(others).toEqual([]);
    if (leader === undefined) throw new Error('nobody leads');
    return leader;
  });
}

function codesOf(source: ScuttlebuttSource): readonly string[] {
  return source.health().troubles.map(({ code }) => code);
}

test('one member leads, and all know it and its metadata', async () => {
  const metadata = { port: '1', name: 'é'.repeat(300) };
  await using members = group({ metadata });
  const leader = await leaderOf(members.sources);
  for (const source of members.sources) {
    const expected = { member: leader.member, self: source === leader, metadata };
    await passFor(() => expect(source.role(0).leader()).toMatchObject(expected));
    await passUntil(source.ready());
    expect(source.health().ok).toBe(true);
  }
  // The metadata arrive in several messages, and later than the name of the leader.
  const late = members.open('d', { campaign: false });
  await passFor(() => expect(late.role(0).leader()).toMatchObject({ metadata }));
});

test('a leader that closes hands over without waiting for T, with a greater token (H2, T1)', async () => {
  await using members = group();
  const leader = await leaderOf(members.sources);
  const token = leader.role(0).term()?.token ?? 0n;
  const others = members.sources.filter((source) => source !== leader);
  const closedAt = performance.now();
  await passUntil(leader.close());
  const next = await leaderOf(others);
  expect(performance.now() - closedAt).toBeLessThan(300);
  expect(next.role(0).term()?.token).toBeGreaterThan(token);
});

test('a member with another pin is refused, and never leads (R3)', async () => {
  await using members = group();
  await leaderOf(members.sources);
  const stranger = members.open('d', { partitions: 2 });
  await expect(passUntil(stranger.ready())).rejects.toThrow(/different configuration/);
  expect(codesOf(stranger)).toContain('partitions-differ');
});

test('a member without a majority stops leading, reports no-quorum, and recovers, campaigning or not', async () => {
  await using members = group();
  const observer = members.open('d', { campaign: false });
  for (const source of members.sources) await passUntil(source.ready());
  const leader = await leaderOf(members.sources);
  const cut = members.isolate(leader.member);
  const cuts = names.flatMap((name) => [
    members.network.cut('d', name),
    members.network.cut(name, 'd'),
  ]);
  await leaderOf(members.sources.filter((source) => source !== leader));
  expect(leader.role(0).isLeading()).toBe(false);
  await passFor(() => expect(codesOf(leader)).toContain('no-quorum'));
  await passFor(() => expect(codesOf(observer)).toContain('no-quorum'));
  cut[Symbol.dispose]();
  for (const one of cuts) one[Symbol.dispose]();
  for (const source of [leader, observer])
    await passFor(() => expect(source.health().ok).toBe(true));
});

test('a member that gets answers, but no messages of a majority of the voters, names the silent ones', async () => {
  await using members = group();
  const observer = members.open('d', { campaign: false });
  const [a, b, c] = members.sources;
  for (const source of [a, observer]) if (source) await passUntil(source.ready());
  for (const source of [b, c]) if (source) await passUntil(source.close());
  for (const source of [a, observer])
    await passFor(() =>
      expect(source?.health().troubles).toContainEqual(
        expect.objectContaining({
          code: 'no-quorum',
          message: expect.stringContaining('b, c are silent'),
        }),
      ),
    );
  // Both still answer each other, and a majority is back once one voter is.
  members.open('b');
  for (const source of [a, observer]) await passFor(() => expect(source?.health().ok).toBe(true));
});

test('voters are ready once they may vote, after thresholdMsMax, also a single one and without candidates', async () => {
  for (const voters of [names, ['a']]) {
    await using members = group({ voters, campaign: false, thresholdMsMax: 3000 }, voters);
    let ready = 0;
    for (const source of members.sources)
      void source.ready().then(() => {
        ready += 1;
      });
    await vi.advanceTimersByTimeAsync(2900);
    expect(ready).toBe(0);
    await passFor(() => expect(ready).toBe(voters.length));
    for (const source of members.sources) expect(source.health().ok).toBe(true);
  }
});

test('the group can lose another voter as soon as a voter that restarts is ready', async () => {
  await using members = group();
  await leaderOf(members.sources);
  const [a, b, c] = members.sources;
  await passUntil(c?.close() ?? Promise.resolve());
  const again = members.open('c');
  await passUntil(again.ready());
  members.isolate('b');
  await passUntil(b?.close() ?? Promise.resolve());
  // No term from before lasts that long.
  await vi.advanceTimersByTimeAsync(again.guarantees.failoverMsMax as number);
  await leaderOf(a ? [a, again] : []);
});

test.each([
  { running: ['a', 'b'], voters: ['a', 'b', 'c'] },
  { running: ['a', 'b', 'c'], voters: ['a', 'b', 'c', 'd', 'e'] },
])(
  'a member leads soon after one of $running restarts in order, although the rest of $voters is away (S7)',
  async ({ running, voters }) => {
    await using members = group({ voters }, voters);
    for (const source of members.sources) await passUntil(source.ready());
    const before = (await leaderOf(members.sources)).role(0).term()?.token ?? 0n;
    for (const source of members.sources)
      if (!running.includes(source.member)) await passUntil(source.close());
    const b = members.sources.find(({ member }) => member === 'b');
    if (b) await passUntil(b.close());
    const again = members.open('b');
    await passUntil(again.ready());
    expect(again.health().ok).toBe(true);
    await vi.advanceTimersByTimeAsync(again.guarantees.failoverMsMax as number);
    const leader = await leaderOf(members.sources.filter((source) => source !== b));
    expect(leader.role(0).term()?.token).toBeGreaterThan(before);
  },
);

test('a voter that restarts after a crash while another one is away names that one and the ways out, and nobody leads until it returns', async () => {
  await using members = group();
  for (const source of members.sources) await passUntil(source.ready());
  await leaderOf(members.sources);
  const [a, b, c] = members.sources;
  if (c) await passUntil(c.close());
  // What it sends while it closes reaches no other voter, as if it had crashed.
  const cut = members.isolate('b');
  if (b) await passUntil(b.close());
  cut[Symbol.dispose]();
  const again = members.open('b');
  let isReady = false;
  const ready = again.ready().then(() => {
    isReady = true;
  });
  await passFor(() =>
    expect(again.health().troubles).toContainEqual(
      expect.objectContaining({
        code: 'no-quorum',
        message: expect.stringMatching(
          /it waits for c, which may know greater tokens\. Start .*, or processes with .*, or restart all voters/,
        ),
      }),
    ),
  );
  // Longer than `failoverMsMax`, which holds while a majority of the voters remembers.
  await vi.advanceTimersByTimeAsync(2 * (again.guarantees.failoverMsMax as number));
  expect([a, again].map((source) => source?.role(0).isLeading())).toEqual([false, false]);
  expect(again.health().ok).toBe(false);
  expect(isReady).toBe(false);
  members.open('c');
  await passUntil(ready);
  await leaderOf(members.sources.filter((source) => source !== b && source !== c));
  await passFor(() => expect(again.health().ok).toBe(true));
});

test('a voter that asks again names the one that has forgotten and answered only its first query', async () => {
  const voters = ['a', 'b', 'c', 'd', 'e'];
  await using members = group({ voters }, voters);
  const { network } = members;
  const isolate = (name: string): Disposable => {
    const others = voters.filter((one) => one !== name);
    const cuts = others.flatMap((one) => [network.cut(name, one), network.cut(one, name)]);
    return { [Symbol.dispose]: () => cuts.forEach((cut) => void cut[Symbol.dispose]()) };
  };
  await leaderOf(members.sources);
  for (const source of members.sources) await passUntil(source.ready());
  // Two keep their memory. "c" starts alone, so that nobody knows its new life at first.
  for (const source of members.sources)
    if (!['b', 'e'].includes(source.member)) {
      // As if it crashed: its last vote does not arrive.
      using _ = isolate(source.member);
      await passUntil(source.close());
    }
  const ofC = isolate('c');
  members.open('c');
  await vi.advanceTimersByTimeAsync(2000);
  let hasAnswered = false;
  const open: OpenGossip = (place, listener) =>
    network.open(place, {
      ...listener,
      received(message, isProved) {
        listener.received(message, isProved);
        const deltas = message.body.kind === 'digest' ? [] : message.body.deltas;
        const answers = deltas.flatMap(({ declaration }) => declaration?.vote?.answers ?? []);
        const isFirst = answers.some(({ ask, remembers }) => ask === 1 && !remembers);
        if (hasAnswered || !isFirst) return;
        hasAnswered = true;
        isolate('d');
        ofC[Symbol.dispose]();
      },
    });
  members.open('d');
  const again = members.open('a', { transport: open });
  await passFor(() => expect(hasAnswered).toBe(true));
  await vi.advanceTimersByTimeAsync(6000);
  expect(again.health().troubles).toContainEqual(
    expect.objectContaining({
      code: 'no-quorum',
      message: expect.stringContaining('it waits for d, which may know greater tokens'),
    }),
  );
});

/** Members, and another one, c, whose transport reports what the test calls `report` with. */
async function reporting(kind: 'streamed' | 'unresolved', names: readonly string[]) {
  const network = memoryNetwork();
  let listening: Parameters<OpenGossip>[1] | undefined;
  const open: OpenGossip = (place, listener) => {
    listening = listener;
    return network.open(place, listener);
  };
  const members = group({ transport: network.open }, names);
  const c = members.open('c', { transport: open });
  await passUntil(c.ready());
  const report = (member: string, error: Error | undefined): void =>
    listening?.[kind](member, error);
  return { members, network, c, report };
}

test('a voter whose host name has no address for T is a trouble until it has one', async () => {
  const { members, c, report } = await reporting('unresolved', ['a', 'b']);
  await using _members = members;
  const error = new Error('getaddrinfo ENOTFOUND nowhere');
  report('b', error);
  expect(c.health().ok).toBe(true);
  await vi.advanceTimersByTimeAsync(700);
  report('b', error);
  expect(c.health().troubles).toContainEqual(
    expect.objectContaining({
      code: 'unreachable',
      message: expect.stringMatching(/host name of member "b" has no address: .*ENOTFOUND nowhere/),
    }),
  );
  report('b', undefined);
  await passFor(() => expect(c.health().ok).toBe(true));
});

test('one stream that does not arrive does not suggest a firewall', async () => {
  const { members, c, report } = await reporting('streamed', ['a', 'b']);
  await using _members = members;
  report('a', new Error('TCP port 7400 of 10.0.0.1: connect ECONNREFUSED'));
  for (let second = 0; second < 20; second += 1) {
    await vi.advanceTimersByTimeAsync(1000);
    expect(c.health()).toMatchObject({ ok: true, warnings: [] });
  }
});

test('streams that do not arrive at living members are warnings, and a trouble while a majority of the voters gets none', async () => {
  const { members, c, report } = await reporting('streamed', ['a', 'b', 'd']);
  await using _members = members;
  const error = new Error('TCP port 7400 of 10.0.0.1: it has taken no message within 5 s');
  const fail = async (names: readonly string[], times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) {
      for (const name of names) report(name, error);
      await vi.advanceTimersByTimeAsync(1000);
    }
  };
  const warned = (): readonly string[] => c.health().warnings.map(({ message }) => message);
  const alone = (name: string): string =>
    `messages that do not fit into a datagram do not arrive at member "${name}", although it seems to live: TCP port 7400 of 10.0.0.1: it has taken no message within 5 s. Open TCP as well as UDP on that port`;
  // For five seconds they may be streams to a member that has just started.
  await fail(['a', 'd'], 4);
  expect(warned()).toEqual([]);
  await fail(['a', 'd'], 3);
  expect(warned()).toEqual([alone('a'), alone('d')]);
  expect(c.health().ok, 'a majority gets messages').toBe(true);
  report('d', undefined);
  expect(warned()).toEqual([alone('a')]);
  await fail(['a', 'b'], 7);
  expect(warned()).toEqual([alone('a'), alone('b')]);
  expect(c.health().troubles).toEqual([
    expect.objectContaining({
      code: 'unreachable',
      message: expect.stringMatching(
        /no majority of the voters: .* at "a" \(TCP port 7400 .*\), "b" \(TCP port 7400 .* Open TCP as well as UDP on that port$/,
      ),
    }),
  ]);
  report('b', undefined);
  await passFor(() => expect(c.health().ok).toBe(true));
  // The other one is reported until no message has needed a stream for three times as long.
  await vi.advanceTimersByTimeAsync(10_000);
  expect(warned()).toEqual([alone('a')]);
  await vi.advanceTimersByTimeAsync(6000);
  expect(warned()).toEqual([]);
});

test('streams that do not arrive at a member that is suspected for moments are warnings as well', async () => {
  const { members, network, c, report } = await reporting('streamed', ['a', 'b']);
  await using _members = members;
  let suspicions = 0;
  const known = c.liveness$.subscribe((all) => {
    if (all.get('a')?.suspect) suspicions += 1;
  });
  for (let time = 0; time < 4; time += 1) {
    report('a', new Error('TCP port 7400 of 10.0.0.1: connect ECONNREFUSED'));
    const cuts = ['b', 'c'].map((name) => network.cut('a', name));
    await vi.advanceTimersByTimeAsync(2000);
    for (const cut of cuts) cut[Symbol.dispose]();
    await vi.advanceTimersByTimeAsync(1500);
  }
  known.unsubscribe();
  expect(suspicions).toBeGreaterThan(2);
  expect(c.health().warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/do not arrive at member "a", although it seems to live/),
  ]);
});

test('a member that is dead gets no streams, and is not blamed on a firewall', async () => {
  const { members, c, report } = await reporting('streamed', ['a', 'b']);
  await using _members = members;
  const [, b] = members.sources;
  if (b) await passUntil(b.close());
  for (let time = 0; time < 10; time += 1) {
    report('b', new Error('TCP port 7400 of 10.0.0.1: connect ECONNREFUSED'));
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(c.health().warnings.map(({ message }) => message)).toEqual([
    'member "b" cannot be reached: TCP port 7400 of 10.0.0.1: connect ECONNREFUSED',
  ]);
  members.open('b');
  await vi.advanceTimersByTimeAsync(4000);
  report('b', undefined);
  expect(c.health()).toMatchObject({ ok: true, warnings: [] });
});

test('a member whose messages reach no other reports no-quorum although all others reach it, and recovers', async () => {
  await using members = group();
  for (const source of members.sources) await passUntil(source.ready());
  const [first] = members.sources;
  const cuts = ['b', 'c'].map((name) => members.network.cut('a', name));
  await passFor(() => expect(first && codesOf(first)).toContain('no-quorum'));
  for (const cut of cuts) cut[Symbol.dispose]();
  await passFor(() => expect(first?.health().ok).toBe(true));
});

test('members whose wall clocks are eleven years ahead are named by the others, and report that they get no answers', async () => {
  await using members = group({}, ['a', 'b']);
  for (const source of members.sources) await passUntil(source.ready());
  await leaderOf(members.sources);
  const years = 11;
  const before = Date.now();
  // The members of a test share one wall clock, which must not be ahead when messages arrive.
  const cuts = ['c', 'd'].flatMap((name) =>
    ['a', 'b', 'c', 'd'].map((to) => members.network.cut(name, to)),
  );
  vi.setSystemTime(new Date(before).setFullYear(new Date(before).getFullYear() + years));
  const [c, d] = [members.open('c'), members.open('d', { campaign: false })];
  // A member takes its generation from its clock when it starts.
  await vi.advanceTimersByTimeAsync(1);
  vi.setSystemTime(before);
  for (const cut of cuts) cut[Symbol.dispose]();
  await vi.advanceTimersByTimeAsync(3000);
  const ignored = (name: string): unknown =>
    expect.objectContaining({
      code: 'assumption-broken',
      message: `member "${name}" is ignored: the wall clock with which it started is 11 years ahead of the one of this host. Set both clocks, then restart the member whose clock was wrong`,
    });
  for (const source of members.sources.slice(0, 2)) {
    const { ok, warnings } = source.health();
    const sorted = [...warnings].sort((one, other) => one.message.localeCompare(other.message));
    expect([ok, ...sorted]).toEqual([true, ignored('c'), ignored('d')]);
    expect(source.health().ignored['implausible']).toBeGreaterThan(0);
  }
  // A voter still receives messages of the others; a member that they do not know receives none.
  for (const [source, why] of [
    [c, /no member answers those of this one: .* that its wall clock is right$/],
    [d, /a, b, c are silent\. If they run, .* that its wall clock is right$/],
  ] as const)
    expect(source.health()).toMatchObject({
      ok: false,
      troubles: expect.arrayContaining([
        expect.objectContaining({ code: 'no-quorum', message: expect.stringMatching(why) }),
      ]),
    });
  for (const source of [c, d]) await passUntil(source.close());
  const again = [members.open('c'), members.open('d')];
  for (const source of again) await passUntil(source.ready());
  for (const source of [...members.sources.slice(0, 2), ...again])
    expect(source.health()).toMatchObject({ ok: true, warnings: [] });
});

test('a member whose wall clock differs by more than T from that of the others when it starts is named in warnings, on either side', async () => {
  await using members = group({}, ['a', 'b']);
  for (const source of members.sources) await passUntil(source.ready());
  for (const [name, offMs, side] of [
    ['c', 3_600_000, 'ahead of'],
    ['d', -3_600_000, 'behind'],
  ] as const) {
    const before = Date.now();
    const cuts = ['a', 'b'].map((to) => members.network.cut(name, to));
    // The members of a test share one wall clock, which must be right when messages arrive.
    vi.setSystemTime(before + offMs);
    const late = members.open(name);
    await vi.advanceTimersByTimeAsync(1);
    vi.setSystemTime(before);
    for (const cut of cuts) cut[Symbol.dispose]();
    for (const source of members.sources.slice(0, 2))
      await passFor(() =>
        expect(source.health().warnings).toContainEqual(
          expect.objectContaining({
            code: 'assumption-broken',
            message: expect.stringMatching(
              new RegExp(
                `^the wall clock with which member "${name}" started is 3\\d+ ms ${side} the one of this host`,
              ),
            ),
          }),
        ),
      );
    expect(members.sources[0]?.health().ok).toBe(true);
    await passUntil(late.close());
    await passFor(() => expect(members.sources[0]?.health().warnings).toEqual([]));
  }
});

test('a leader whose clock stopped for a while is fenced, and starts again (H6)', async () => {
  await using members = group();
  const leader = await leaderOf(members.sources);
  const generationOf = (): number | undefined => {
    let known: ReadonlyMap<string, GossipMember> = new Map();
    leader.liveness$
      .subscribe((value) => {
        known = value;
      })
      .unsubscribe();
    return known.get(leader.member)?.generation;
  };
  const before = generationOf() ?? 0;
  const voting = (): number | undefined => leader.health().measured['voting'];
  await passFor(() => expect(voting()).toBe(1));
  const states: unknown[] = [];
  leader.role(0).leadership$.subscribe((state) => states.push(state));
  boot.sleptMs += 1000;
  await passFor(() => expect(generationOf()).toBeGreaterThan(before));
  await passFor(() => expect(voting(), 'it is silent again').toBe(0));
  expect(states).toContainEqual(expect.objectContaining({ state: 'fenced', reason: 'suspended' }));
  await leaderOf(members.sources);
  await passFor(() => expect(voting()).toBe(1));
});

test('liveness$ shows who is alive, and state$ what they have set', async () => {
  await using members = group();
  const [a, b, c] = members.sources;
  a?.set('early', '1');
  let known: ReadonlyMap<string, GossipMember> = new Map();
  let state: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map();
  b?.liveness$.subscribe((value) => {
    known = value;
  });
  b?.state$.subscribe((value) => {
    state = value;
  });
  await passFor(() =>
    expect([...known.values()].map(({ alive }) => alive)).toEqual([true, true, true]),
  );
  await passFor(() => expect(state.get('a')?.get('early')).toBe('1'));
  a?.set('late', '2');
  a?.set('early', undefined);
  await passFor(() => expect([...(state.get('a') ?? [])]).toEqual([['late', '2']]));
  if (c) await passUntil(c.close());
  await passFor(() => expect(known.get('c')).toMatchObject({ alive: false, suspect: true }));
  expect(known.get('c')?.phi).toBeGreaterThan(8);
  expect(() => a?.set('k', 'x'.repeat(513))).toThrow(/512 bytes: it has 513/);
  expect(() => c?.set('k', 'v')).toThrow(LeadershipError);
});

test('a transport that cannot listen or send is a trouble until it can', async () => {
  const network = memoryNetwork();
  let listens = false;
  let sends = false;
  const open: OpenGossip = async (place, listener) => {
    if (!listens) throw new Error('port in use');
    const transport = await network.open(place, listener);
    return {
      ...transport,
      send(to, message) {
        if (!sends) throw new Error('no route');
        transport.send(to, message);
      },
    };
  };
  await using members = group({ transport: network.open }, ['a', 'b']);
  const c = members.open('c', { transport: open });
  await passFor(() => expect(c.health().troubles[0]?.message).toMatch(/port in use/));
  listens = true;
  await passFor(() => expect(c.health().troubles[0]?.message).toMatch(/no route/));
  sends = true;
  await passFor(() => expect(c.health().ok).toBe(true));
});
