// Changes and restarts of the voters, with real processes.

import { eventually } from '@leadership/testkit/adapter';
import {
  freePorts,
  type MemberEvent,
  type ProcessMember,
  spawnMember,
  termRecordsOf,
  violationsOf,
} from '@leadership/testkit/faults';
import { expect, test } from 'vitest';

/** Long enough for a starved machine, on which a dozen processes start at once. */
const thresholdMs = 4000;
/** Ten rounds in T, for four members: S6 needs seven. */
const sizes = 'membersMax=4&intervalMs=400';

/** The members of one test. Disposing kills those that still run. */
function crew() {
  const started: ProcessMember[] = [];
  const start = async (member: string, voters: readonly string[]): Promise<ProcessMember> => {
    const process = await spawnMember({
      url: `gossip://${voters.join()}/voters?${sizes}`,
      options: { member, partitions: 1, thresholdMs },
      work: { kind: 'idle' },
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

test.concurrent('a leader and voter that was stopped while a majority went on does not lead when it continues (H5)', async () => {
  await using group = crew();
  const members = await group.startAll(await names(3));
  let sinceNs = 0n;
  for (let round = 0; round < 3; round += 1) {
    const isNew = ({ kind, atNs }: MemberEvent): boolean => kind === 'acquired' && atNs > sinceNs;
    const leading = (): ProcessMember | undefined =>
      members.find(({ events }) => events.some(isNew));
    await eventually('one of them leads', () => leading() !== undefined);
    const leader = leading();
    sinceNs = process.hrtime.bigint();
    leader?.pause();
    await eventually('another one leads', () => leading() !== undefined);
    leader?.block(1);
    leader?.resume();
    const first = await leader?.until(
      ({ kind, atNs }) => kind === 'first-statement' && atNs > sinceNs,
    );
    expect(first?.detail).toBe('false');
  }
  expect(group.violations()).toEqual([]);
});
