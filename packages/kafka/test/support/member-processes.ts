// Members in processes of their own over one topic, and the checks of the events of all of them.
import type { LeadershipErrorCode } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import {
  type MemberEvent,
  type MemberWork,
  type ProcessMember,
  type ProcessMemberOptions,
  type SpawnedMember,
  spawnMember,
  termRecordsOf,
  violationsOf,
} from '@leadership/testkit/faults';
import { expect } from 'vitest';

/** Which election, and how its members are configured. */
export interface MemberProcessesOptions {
  readonly bootstrap: readonly string[];
  readonly topic: string;
  readonly group?: string;
  readonly options?: ProcessMemberOptions['options'];
  /** More of the URL's query, as in `&guarantee=continuous`, for the nth member from 0. */
  readonly query?: string | ((nth: number) => string);
  readonly work?: MemberWork;
  /** Every member opens this instead of this release, unless it joins with another one. */
  readonly module?: string;
}

/** A member that leads, and the event that says so. */
export interface Leading {
  readonly member: ProcessMember;
  readonly acquired: MemberEvent;
}

/** Members of one election. Disposing kills them. */
export interface MemberProcesses extends AsyncDisposable {
  readonly members: readonly SpawnedMember[];
  /** One more, without waiting for the brokers. `module`: what it opens instead of the others' module. */
  join(member: string, module?: string): Promise<SpawnedMember>;
  /** Members that are ready. */
  joinAll(...members: string[]): Promise<void>;
  /** Resolves with the leader of the partition, once one leads in a later term than that one. */
  leader(partition?: number, after?: Leading): Promise<Leading>;
  /**
   * Resolves with that member once it leads the partition. Any other leader, after a lease lost on
   * a starved machine, is made to resign.
   */
  ledBy(member: ProcessMember, partition?: number): Promise<Leading>;
  /**
   * Fails if two members led at once, a token fell, unfinished work was not awaited, or there were
   * fewer terms than that.
   */
  assertSound(termsMin: number): void;
}

export const thresholdMs = 1000;

export function startGroup({
  bootstrap,
  topic,
  group = topic,
  options = {},
  query = '',
  work = { kind: 'idle' },
  module: usualModule,
}: MemberProcessesOptions): MemberProcesses {
  const members: SpawnedMember[] = [];
  const url = `kafka://${bootstrap.join()}/${group}?topic=${topic}&topicCheck=safety`;
  const queryOf = typeof query === 'string' ? () => query : query;
  let joining = 0;
  const events = (): MemberEvent[] => members.flatMap((member) => member.events);
  // The latest event counts: a killed member does not report the end of its term.
  const leads = (partition: number, afterNs: bigint): Leading | undefined => {
    let latest: Leading | undefined;
    for (const member of members) {
      const last = member.events.findLast(
        (event) => event.partition === partition && isTermChange(event),
      );
      if (last?.kind === 'acquired' && last.atNs > (latest?.acquired.atNs ?? afterNs))
        latest = { member, acquired: last };
    }
    return latest;
  };
  const lastWords = (): string => {
    const last = events()
      .filter(({ kind }) => kind !== 'prolonged')
      .sort((a, b) => Number(a.atNs - b.atNs))
      .slice(-40);
    return last
      .map(
        ({ atNs, member, kind, partition = '', detail = '' }) =>
          `\n  ${atNs / 1_000_000n} ${member} ${kind} ${partition} ${detail}`,
      )
      .join('');
  };
  const join = async (name: string, module = usualModule): Promise<SpawnedMember> => {
    const nth = joining;
    joining += 1;
    const member = await spawnMember({
      url: url + queryOf(nth),
      options: { partitions: 1, thresholdMs, ...options, member: name },
      work,
      ...(module && { module }),
    });
    members.push(member);
    return member;
  };
  const leader: MemberProcesses['leader'] = (partition = 0, after) =>
    eventually(
      `partition ${partition} has a leader`,
      () => leads(partition, after?.acquired.atNs ?? 0n),
      { details: lastWords },
    );
  return {
    members,
    join,
    leader,
    async ledBy(member, partition = 0) {
      for (let leading = await leader(partition); ; leading = await leader(partition, leading)) {
        if (leading.member === member) return leading;
        leading.member.resign(partition);
      }
    },
    async joinAll(...names) {
      const joined = await Promise.all(names.map((name) => join(name)));
      await Promise.all(
        joined.map((member) => member.until(({ kind }) => kind === 'ready', 60_000)),
      );
    },
    assertSound: (termsMin) => assertSound(members, termsMin),
    [Symbol.asyncDispose]: () => killAll(members),
  };
}

/** Members of one election that are started otherwise. Disposing kills them. */
interface Others extends Pick<MemberProcesses, 'assertSound'>, AsyncDisposable {
  readonly members: readonly ProcessMember[];
  /** One more. */
  add(member: ProcessMember): ProcessMember;
}

export function processGroups(): Others {
  const members: ProcessMember[] = [];
  return {
    members,
    add(member) {
      members.push(member);
      return member;
    },
    assertSound: (termsMin) => assertSound(members, termsMin),
    [Symbol.asyncDispose]: () => killAll(members),
  };
}

function assertSound(members: readonly ProcessMember[], termsMin: number): void {
  const terms = termRecordsOf(members.flatMap(({ events }) => events));
  expect(violationsOf(terms)).toEqual([]);
  expect(terms.length).toBeGreaterThanOrEqual(termsMin);
}

async function killAll(members: readonly ProcessMember[]): Promise<void> {
  await Promise.all(members.map((member) => member.kill()));
}

/** Returns whether the member reports this trouble now. */
export function isTroubled({ events }: ProcessMember, code: LeadershipErrorCode): boolean {
  const last = events.findLast(
    ({ kind, detail = '' }) => kind === 'health' && detail.endsWith(` ${code}`),
  );
  return last?.detail === `trouble ${code}`;
}

function isTermChange({ kind }: MemberEvent): boolean {
  return kind === 'acquired' || kind === 'released' || kind === 'fenced';
}
