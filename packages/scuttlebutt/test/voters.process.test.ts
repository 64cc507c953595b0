// Changes and restarts of the voters, with real processes.

import { eventually } from '@leadership/testkit/adapter';
import {
  freePorts,
  type MemberWork,
  type ProcessMember,
  spawnMember,
  termRecordsOf,
  violationsOf,
} from '@leadership/testkit/faults';
import {
  stopLeader,
  stopMoments,
  temporaryDirectory,
  writtenTokens,
} from '@leadership/testkit/internal';
import { expect, test } from 'vitest';

/** Long enough for a starved machine, on which a dozen processes start at once. */
const thresholdMs = 4000;
/** Ten rounds in T, for four members: S6 needs seven. */
const sizes = 'membersMax=4&intervalMs=400';

/** The members of one test. Disposing kills those that still run. */
function crew(work: MemberWork = { kind: 'idle' }) {
  const started: ProcessMember[] = [];
  const start = async (member: string, voters: readonly string[]): Promise<ProcessMember> => {
    const process = await spawnMember({
      url: `gossip://${voters.join()}/voters?${sizes}`,
      options: { member, partitions: 1, thresholdMs },
      work,
    });
    started.push(process);
    return process;
  };
  return {
    start,
    startAll: (voters: readonly string[]) =>
      Promise.all(voters.map((member) => start(member, voters))),
    violations(): readonly string[] {
      const terms = started.flatMap(({ events }) => termRecordsOf(events));
      return violationsOf(terms).map(({ message }) => message);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(started.map((member) => member.kill()));
    },
  };
}

async function names(count: number): Promise<string[]> {
  return (await freePorts(count)).map((port) => `127.0.0.1:${port}`);
}

/** Resolves with the token of a term that one of these has begun. */
async function leads(members: readonly ProcessMember[]): Promise<bigint> {
  let token: bigint | undefined;
  await eventually('one of them leads', () => {
    const terms = members.flatMap(({ events }) => events.filter(({ kind }) => kind === 'acquired'));
    token = terms.at(-1)?.token;
    return token !== undefined;
  });
  return token ?? 0n;
}

test.concurrent('a change of the voters by restarts is refused, and works once all members have stopped (R3, R4)', async () => {
  await using group = crew();
  const [a = '', b = '', c = '', d = ''] = await names(4);
  const before = await group.startAll([a, b, c]);
  const first = await leads(before);

  const next = [a, b, d];
  const isRefused = ({ kind }: { readonly kind: string }): boolean => kind === 'refused';
  for (const name of [d, c]) {
    await before.find(({ member }) => member === name)?.kill();
    const newcomer = await group.start(name, next);
    const { detail } = await newcomer.until(isRefused);
    expect(detail).toContain('partitions-differ');
    await newcomer.kill();
  }
  const left = before.filter(({ member }) => member !== c);
  const sinceNs = process.hrtime.bigint();
  await eventually('the two others go on', () =>
    left.some(({ events }) =>
      events.some(({ kind, atNs }) => atNs > sinceNs && /acquired|prolonged/.test(kind)),
    ),
  );
  expect(left.flatMap(({ events }) => events.filter(isRefused))).toEqual([]);

  await Promise.all(left.map((member) => member.close()));
  const after = await group.startAll(next);
  expect(await leads(after)).toBeGreaterThan(first);
  expect(group.violations()).toEqual([]);
});

test.concurrent('tokens grow although all voters are killed at once, again and again (T1)', async () => {
  await using group = crew();
  const voters = await names(3);
  let token = 0n;
  for (let round = 0; round < 3; round += 1) {
    const members = await group.startAll(voters);
    const next = await leads(members);
    expect(next).toBeGreaterThan(token);
    token = next;
    await Promise.all(members.map((member) => member.kill()));
  }
  expect(group.violations()).toEqual([]);
});

test.concurrent('leaders that vote are stopped for longer than T at several moments: none leads when it continues, and writes stay in order (H5, T2)', async () => {
  await using store = await temporaryDirectory();
  await using group = crew({ kind: 'write', store: store.path, fenced: true });
  const members = await group.startAll(await names(3));
  for (const moment of stopMoments)
    expect(await stopLeader(members, moment, thresholdMs), moment).toBe('false');
  expect(group.violations()).toEqual([]);
  const tokens = await writtenTokens(store.path);
  expect(new Set(tokens).size).toBeGreaterThan(stopMoments.length);
  expect(tokens).toEqual(tokens.toSorted((a, b) => (a < b ? -1 : 1)));
});
