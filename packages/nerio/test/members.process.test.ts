// Members that are processes of their own, voters and candidates all of them, over TCP through ways that can be made bad ones.
import { stallMeter } from '@leadership/testkit/adapter';
import { contradictions, type MemberEvent, reignsOf } from '@leadership/testkit/faults';
import { describe, expect, test } from 'vitest';
import { eventually } from './support/eventually.ts';
import { type Mesh, meshOf, thresholdMs } from './support/mesh.ts';

const nowNs = (): bigint => process.hrtime.bigint();

/**
 * Started, all of them voters that may grant, and one of them leads. A voter that has just begun knows nothing, and grants nothing before
 * its silence is over and others have told it what was granted (N4, N16): whoever loses another member before that has lost two.
 */
async function begin(mesh: Mesh): Promise<MemberEvent> {
  const started = await Promise.all(mesh.names.map((name) => mesh.start(name)));
  await Promise.all(started.map((member) => member.until(({ kind }) => kind === 'ready')));
  await mesh.leader();
  await mesh.grant(mesh.names);
  return await leaderNow(mesh);
}

/** Whoever leads now, or will: on a starved machine it may be another than a moment ago. */
async function leaderNow(mesh: Mesh): Promise<MemberEvent> {
  const reigning = mesh.names.find((name) => leads(mesh.events(), name));
  return mesh.events().findLast(({ kind, member }) => kind === 'acquired' && member === reigning) ?? (await mesh.leader(nowNs()));
}

const insistSound = (mesh: Mesh): void => expect(contradictions(reignsOf(mesh.events())).map(({ sentence }) => sentence)).toEqual([]);

/** Whoever leads now by what was said last. */
function leads(events: readonly MemberEvent[], member: string): boolean {
  const last = events.findLast((event) => event.member === member && ['acquired', 'released', 'fenced'].includes(event.kind));
  return last?.kind === 'acquired';
}

/** What N2 promises to these members, by `guarantees.failoverMsMax`. Milliseconds. */
const failoverMsMax = Math.ceil((thresholdMs * 1.001) / 0.999);
/** As in the conformance suite: the steps of a fail-over that come one after the other; timers that wake late; stalls that are not ours. */
const steps = 4;
const timersMs = 20;
const stallsOfOthersMs = thresholdMs / 4;
/** A machine that stood still in between says nothing about the promise: so often it may. */
const attemptsMax = 3;

/** Cuts a minority off, the leader among it; says how much later than promised another led. Milliseconds, below 0 where it was in time. */
async function failOver(count: number): Promise<number> {
  await using mesh = await meshOf(count);
  using stall = stallMeter();
  await begin(mesh);
  const tripMs = await mesh.tripMs();
  const first = await leaderNow(mesh);
  const minority = [first.member, ...mesh.names.filter((name) => name !== first.member)].slice(0, (count - 1) / 2);
  const majority = mesh.names.filter((name) => !minority.includes(name));
  const ways = [...mesh.ways(minority, majority), ...mesh.ways(majority, minority)];
  stall.take();
  const cutNs = nowNs();
  for (const way of ways) way.cut();
  const second = await mesh.leader(cutNs);
  const boundMs = failoverMsMax + steps * (tripMs + stall.take()) + timersMs + stallsOfOthersMs;
  expect(majority).toContain(second.member);
  await mesh.member(first.member).until(({ kind, token }) => kind === 'fenced' && token === first.token);
  const cutOff = mesh.events().filter(({ kind, member, atNs }) => kind === 'acquired' && minority.includes(member) && atNs > cutNs);
  expect(cutOff).toEqual([]);
  for (const way of ways) way.mend();
  insistSound(mesh);
  return Number(second.atNs - cutNs) / 1e6 - boundMs;
}

describe.each([3, 5])('of %i processes', (count) => {
  test('a minority that is cut off never leads, and the others do within the guarantee', async () => {
    const late: number[] = [];
    while (late.length < attemptsMax && late.every((ms) => ms > 0)) late.push(await failOver(count));
    expect(late.at(-1), `later than promised by ${late.map(Math.round).join(', ')} ms`).toBeLessThan(0);
  });

  test('one that can be heard and does not hear, or the other way round, leads no more; another does', async () => {
    await using mesh = await meshOf(count);
    let leader = await begin(mesh);
    for (const deafen of ['to-client', 'to-server', 'half-open'] as const) {
      const others = mesh.names.filter((name) => name !== leader.member);
      // What a member says goes on the connections that it has opened itself.
      const ways = deafen === 'to-client' ? mesh.ways(others, [leader.member]) : mesh.ways([leader.member], others);
      const sinceNs = nowNs();
      for (const way of ways) deafen === 'half-open' ? way.halfOpen() : way.cutOneWay('to-server');
      const next = await mesh.leader(sinceNs);
      expect(others).toContain(next.member);
      for (const way of ways) way.mend();
      leader = next;
    }
    insistSound(mesh);
  });

  test('leaders are stopped, blocked and killed, and come back: never do two lead, and tokens only grow', async () => {
    await using mesh = await meshOf(count);
    const stopped = await begin(mesh);
    mesh.member(stopped.member).pause();
    const blocked = await mesh.leader(stopped.atNs);
    mesh.member(stopped.member).resume();
    await mesh.member(stopped.member).until(({ kind, token }) => kind === 'fenced' && token === stopped.token);
    mesh.member(blocked.member).block(1.5 * thresholdMs);
    const answer = await mesh.member(blocked.member).until(({ kind }) => kind === 'first-statement');
    expect(answer.detail).toBe('false');
    const killed = await mesh.leader(blocked.atNs);
    const killedNs = nowNs();
    await mesh.member(killed.member).kill();
    // Without memory it grants nothing for δ: it is no help before, and no harm (N4).
    await mesh.start(killed.member);
    const next = await mesh.leader(killedNs);
    expect(next.token ?? 0n).toBeGreaterThan(killed.token ?? 0n);
    insistSound(mesh);
  });
});

test('a voter that keeps what it granted votes again as soon as it is back: two of three killed at once, and one leads (N4)', async () => {
  await using mesh = await meshOf(3, { query: (state) => `?restart=state&stateDirectory=${encodeURIComponent(state)}` });
  let first = await begin(mesh);
  // Who has led has learnt what there was to learn when all of them started: from then on it has something to keep.
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
  insistSound(mesh);
});

test('on ways that take a fifth of T and back, where that is reckoned with, one leads, and another when it dies (N10)', async () => {
  await using mesh = await meshOf(3, { query: () => `?roundTripMs=${thresholdMs / 4}` });
  for (const way of mesh.ways(mesh.names, mesh.names)) way.delay(thresholdMs / 10);
  const first = await begin(mesh);
  const killedNs = nowNs();
  await mesh.member(first.member).kill();
  const next = await mesh.leader(killedNs);
  expect(next.member).not.toBe(first.member);
  insistSound(mesh);
});

/** Prints the real time to a leader. */
function print(what: string, sinceNs: bigint, leader: MemberEvent): void {
  const ms = Number(leader.atNs - sinceNs) / 1e6;
  console.log(`${what}: a leader after ${(ms / 1000).toFixed(1)} s, at T = ${thresholdMs / 1000} s`);
}

/** With a state directory, and nothing else said: stored state is the default there. */
const storesState = (state: string): string => `?stateDirectory=${encodeURIComponent(state)}`;

test('with one of three away, another is killed and comes back later: the two lead again where there is a state directory (N4)', async () => {
  await using mesh = await meshOf(3, { query: storesState });
  const first = await begin(mesh);
  const [away = '', restarted = ''] = mesh.names.filter((name) => name !== first.member);
  await mesh.member(away).kill();
  const remaining = await leaderNow(mesh);
  await mesh.member(restarted).kill();
  const survivor = mesh.names.find((name) => name !== away && name !== restarted) ?? '';
  // A leader that has lost its quorum is fenced within the lease.
  await eventually('nobody leads', () => !leads(mesh.events(), survivor));
  const sinceNs = nowNs();
  await mesh.start(restarted);
  const next = await mesh.leader(sinceNs);
  print('C away, B restarted', sinceNs, next);
  expect([survivor, restarted]).toContain(next.member);
  expect(next.token ?? 0n).toBeGreaterThan(remaining.token ?? 0n);
  insistSound(mesh);
});

test.each([
  ['with stored state', storesState],
  ['without stored state', () => ''],
] as const)('all voters are killed at once and start again: one leads, %s (N4, N16)', async (how, query) => {
  await using mesh = await meshOf(3, { query });
  const first = await begin(mesh);
  await Promise.all(mesh.names.map((name) => mesh.member(name).kill()));
  const sinceNs = nowNs();
  await Promise.all(mesh.names.map((name) => mesh.start(name)));
  const next = await mesh.leader(sinceNs);
  print(`all voters restarted, ${how}`, sinceNs, next);
  expect(next.token ?? 0n).toBeGreaterThan(first.token ?? 0n);
  insistSound(mesh);
});

test('with round trips of T/6 that nobody reckoned with, one leads after a cold start, and another when it dies (N9, N10, N16)', async () => {
  await using mesh = await meshOf(3);
  for (const way of mesh.ways(mesh.names, mesh.names)) way.delay(thresholdMs / 12);
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
  insistSound(mesh);
});
