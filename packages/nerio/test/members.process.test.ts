// Members in processes of their own, all voters and candidates, over TCP through proxies that can
// fail.
import { join } from 'node:path';
import { eventually, stallMeter } from '@leadership/testkit/adapter';
import { type MemberEvent, termRecordsOf, violationsOf } from '@leadership/testkit/faults';
import { stopLeader, stopMoments, writtenTokens } from '@leadership/testkit/internal';
import { describe, expect, test } from 'vitest';
import { type Mesh, meshOf, thresholdMs } from './support/mesh.ts';

const nowNs = (): bigint => process.hrtime.bigint();

/**
 * Starts the members, and waits until all voters may grant and one of them leads. A new voter
 * grants nothing before its silence is over and it has learnt from others (N4, N16), so a failure
 * before that costs two members.
 */
async function begin(mesh: Mesh): Promise<MemberEvent> {
  const started = await Promise.all(mesh.names.map((name) => mesh.start(name)));
  await Promise.all(started.map((member) => member.until(({ kind }) => kind === 'ready')));
  await mesh.leader();
  await mesh.grant(mesh.names);
  return await leaderNow(mesh);
}

/**
 * Resolves with the present leader, or the next one: on a starved machine it may change at any
 * time.
 */
async function leaderNow(mesh: Mesh): Promise<MemberEvent> {
  const leading = mesh.names.find((name) => leads(mesh.events(), name));
  return (
    mesh.events().findLast(({ kind, member }) => kind === 'acquired' && member === leading) ??
    (await mesh.leader(nowNs()))
  );
}

const expectNoViolations = (mesh: Mesh): void =>
  expect(
    violationsOf(termRecordsOf(mesh.events())).map(({ message: sentence }) => sentence),
  ).toEqual([]);

/** Whether the member leads, by its latest event. */
function leads(events: readonly MemberEvent[], member: string): boolean {
  const last = events.findLast(
    (event) => event.member === member && ['acquired', 'released', 'fenced'].includes(event.kind),
  );
  return last?.kind === 'acquired';
}

/** The promise of N2 to these members, from `guarantees.failoverMsMax`. Milliseconds. */
const failoverMsMax = Math.ceil((thresholdMs * 1.001) / 0.999);
/**
 * As in the conformance suite: the sequential steps of a fail-over, late timers, and stalls of
 * other processes.
 */
const steps = 4;
const timersMs = 20;
const stallsOfOthersMs = thresholdMs / 4;
/** The limit on attempts: a stall of the machine proves nothing about the promise. */
const attemptsMax = 3;

/**
 * Cuts a minority off, the leader included. Returns how much later than promised another member
 * led. Milliseconds; below 0 if in time.
 */
async function failOver(count: number): Promise<number> {
  await using mesh = await meshOf(count);
  using stall = stallMeter();
  await begin(mesh);
  const tripMs = await mesh.tripMs();
  const first = await leaderNow(mesh);
  const minority = [first.member, ...mesh.names.filter((name) => name !== first.member)].slice(
    0,
    (count - 1) / 2,
  );
  const majority = mesh.names.filter((name) => !minority.includes(name));
  const proxies = [...mesh.proxies(minority, majority), ...mesh.proxies(majority, minority)];
  stall.take();
  const cutNs = nowNs();
  for (const proxy of proxies) proxy.cut();
  const second = await mesh.leader(cutNs);
  const boundMs = failoverMsMax + steps * (tripMs + stall.take()) + timersMs + stallsOfOthersMs;
  expect(majority).toContain(second.member);
  await mesh
    .member(first.member)
    .until(({ kind, token }) => kind === 'fenced' && token === first.token);
  const cutOff = mesh
    .events()
    .filter(
      ({ kind, member, atNs }) => kind === 'acquired' && minority.includes(member) && atNs > cutNs,
    );
  expect(cutOff).toEqual([]);
  for (const proxy of proxies) proxy.mend();
  expectNoViolations(mesh);
  return Number(second.atNs - cutNs) / 1e6 - boundMs;
}

/** Five processes, which take twice the processor time, have their turn in the soak. */
const sizes = process.env['SOAK'] === undefined ? [3] : [5];

describe.each(sizes)('of %i processes', (count) => {
  test('a minority that is cut off never leads, and another member leads within the guarantee', async () => {
    const late: number[] = [];
    while (late.length < attemptsMax && late.every((ms) => ms > 0))
      late.push(await failOver(count));
    expect(
      late.at(-1),
      `later than promised by ${late.map(Math.round).join(', ')} ms`,
    ).toBeLessThan(0);
  });

  test('a leader that can only send, or only receive, no longer leads; another member does', async () => {
    await using mesh = await meshOf(count);
    let leader = await begin(mesh);
    for (const deafen of ['to-client', 'to-server', 'half-open'] as const) {
      const others = mesh.names.filter((name) => name !== leader.member);
      // A member sends on the connections that it has opened itself.
      const proxies =
        deafen === 'to-client'
          ? mesh.proxies(others, [leader.member])
          : mesh.proxies([leader.member], others);
      const sinceNs = nowNs();
      for (const proxy of proxies)
        deafen === 'half-open' ? proxy.halfOpen() : proxy.cutOneWay('to-server');
      const next = await mesh.leader(sinceNs);
      expect(others).toContain(next.member);
      for (const proxy of proxies) proxy.mend();
      leader = next;
    }
    expectNoViolations(mesh);
  });

  test('leaders are stopped, blocked, killed and restarted: never do two lead, and tokens only grow', async () => {
    await using mesh = await meshOf(count);
    const stopped = await begin(mesh);
    mesh.member(stopped.member).pause();
    const blocked = await mesh.leader(stopped.atNs);
    mesh.member(stopped.member).resume();
    await mesh
      .member(stopped.member)
      .until(({ kind, token }) => kind === 'fenced' && token === stopped.token);
    mesh.member(blocked.member).block(1.5 * thresholdMs);
    const answer = await mesh
      .member(blocked.member)
      .until(({ kind }) => kind === 'first-statement');
    expect(answer.detail).toBe('false');
    const killed = await mesh.leader(blocked.atNs);
    const killedNs = nowNs();
    await mesh.member(killed.member).kill();
    // Without memory it grants nothing for δ: until then it neither helps nor harms (N4).
    await mesh.start(killed.member);
    const next = await mesh.leader(killedNs);
    expect(next.token ?? 0n).toBeGreaterThan(killed.token ?? 0n);
    expectNoViolations(mesh);
  });
});

test('leaders are stopped for longer than T at several moments: none leads when it continues, and writes stay in order (H5, T2)', async () => {
  await using mesh = await meshOf(3, {
    work: (state) => ({ kind: 'write', store: join(state, 'writes'), fenced: true }),
  });
  await begin(mesh);
  const members = mesh.names.map((name) => mesh.member(name));
  for (const moment of stopMoments)
    expect(await stopLeader(members, moment, thresholdMs), moment).toBe('false');
  expectNoViolations(mesh);
  const tokens = await writtenTokens(join(mesh.state, 'writes'));
  expect(new Set(tokens).size).toBeGreaterThan(stopMoments.length);
  expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
});

test('a voter that stores its grants votes right after a restart: two of three are killed at once, and one leads (N4)', async () => {
  await using mesh = await meshOf(3, {
    query: (state) => `?restart=state&stateDirectory=${encodeURIComponent(state)}`,
  });
  let first = await begin(mesh);
  // A member that has led has learnt everything since the common start, so it has grants to store.
  for (const led = new Set([first.member]); led.size < mesh.names.length; led.add(first.member)) {
    mesh.member(first.member).resign(0);
    first = await mesh.leader(first.atNs);
  }
  const other = mesh.names.find((name) => name !== first.member) ?? '';
  const killedNs = nowNs();
  await Promise.all([first.member, other].map((name) => mesh.member(name).kill()));
  await mesh.start(other);
  const next = await mesh.leader(killedNs);
  expect(next.member).not.toBe(first.member);
  expect(next.token ?? 0n).toBeGreaterThan(first.token ?? 0n);
  expectNoViolations(mesh);
});

test('with round trips of T/5 that the options allow for, one member leads, and another after it dies (N10)', async () => {
  await using mesh = await meshOf(3, { query: () => `?roundTripMs=${thresholdMs / 4}` });
  for (const proxy of mesh.proxies(mesh.names, mesh.names)) proxy.delay(thresholdMs / 10);
  const first = await begin(mesh);
  const killedNs = nowNs();
  await mesh.member(first.member).kill();
  const next = await mesh.leader(killedNs);
  expect(next.member).not.toBe(first.member);
  expectNoViolations(mesh);
});

/** Prints the real time to a leader. */
function print(what: string, sinceNs: bigint, leader: MemberEvent): void {
  const ms = Number(leader.atNs - sinceNs) / 1e6;
  console.log(
    `${what}: a leader after ${(ms / 1000).toFixed(1)} s, at T = ${thresholdMs / 1000} s`,
  );
}

/** With a state directory and default options: `restart` is then "state". */
const storesState = (state: string): string => `?stateDirectory=${encodeURIComponent(state)}`;

test('with one of three absent, another is killed and restarted later: with a state directory the two elect a leader again (N4)', async () => {
  await using mesh = await meshOf(3, { query: storesState });
  const first = await begin(mesh);
  const [away = '', restarted = ''] = mesh.names.filter((name) => name !== first.member);
  await mesh.member(away).kill();
  const remaining = await leaderNow(mesh);
  await mesh.member(restarted).kill();
  const survivor = mesh.names.find((name) => name !== away && name !== restarted) ?? '';
  // A leader that has lost its quorum is fenced within the lease.
  await eventually('no member leads', () => !leads(mesh.events(), survivor));
  const sinceNs = nowNs();
  await mesh.start(restarted);
  const next = await mesh.leader(sinceNs);
  print('C away, B restarted', sinceNs, next);
  expect([survivor, restarted]).toContain(next.member);
  expect(next.token ?? 0n).toBeGreaterThan(remaining.token ?? 0n);
  expectNoViolations(mesh);
});

test.each([
  ['with stored state', storesState],
  ['without stored state', () => ''],
] as const)(
  'all voters are killed at once and start again: one leads, %s (N4, N16)',
  async (how, query) => {
    await using mesh = await meshOf(3, { query });
    const first = await begin(mesh);
    await Promise.all(mesh.names.map((name) => mesh.member(name).kill()));
    const sinceNs = nowNs();
    await Promise.all(mesh.names.map((name) => mesh.start(name)));
    const next = await mesh.leader(sinceNs);
    print(`all voters restarted, ${how}`, sinceNs, next);
    expect(next.token ?? 0n).toBeGreaterThan(first.token ?? 0n);
    expectNoViolations(mesh);
  },
);

test('with round trips of T/6 beyond the options, one member leads after a cold start, and another after it dies (N9, N10, N16)', async () => {
  await using mesh = await meshOf(3);
  for (const proxy of mesh.proxies(mesh.names, mesh.names)) proxy.delay(thresholdMs / 12);
  const sinceNs = nowNs();
  await Promise.all(mesh.names.map((name) => mesh.start(name)));
  const first = await mesh.leader();
  print('cold start with round trips of T/6', sinceNs, first);
  await mesh.grant(mesh.names);
  const leader = await leaderNow(mesh);
  const killedNs = nowNs();
  await mesh.member(leader.member).kill();
  const next = await mesh.leader(killedNs);
  expect(next.member).not.toBe(leader.member);
  expectNoViolations(mesh);
});
