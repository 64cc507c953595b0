// Orderly hand-overs of many partitions between real processes, judged by the journal of each
// process on the host's monotonic clock. The journal is conservative: it records settled work
// before the member can release, and records the start of a belief when it was first seen.

import { eventually } from '@leadership/testkit/adapter';
import {
  type MemberEvent,
  type MemberWork,
  type ProcessMember,
  spawnMember,
  type TermRecord,
  termRecordsOf,
  violationsOf,
} from '@leadership/testkit/faults';
import { describe, expect, it } from 'vitest';
import { tempDirectory } from './support/temp-directory.ts';

const partitions = 32;
const names = ['a', 'b', 'c', 'd'];

/** Long enough that no term ends by itself on a slow machine. Milliseconds. */
const thresholdMs = 3000;

interface Group extends AsyncDisposable {
  readonly events: () => readonly MemberEvent[];
  /** Makes the leader of each partition resign, and waits for a later term in each. */
  resignAll(): Promise<void>;
}

async function openGroup(work: MemberWork, drainTimeoutMs: number): Promise<Group> {
  const home = await tempDirectory();
  const start = (member: string): Promise<ProcessMember> =>
    spawnMember({
      url: `file:${encodeURI(home.path)}?group=g`,
      options: { member, partitions, thresholdMs, drainTimeoutMs },
      work,
    });
  const members = await Promise.all(names.map(start));
  const terms = (): ReadonlyMap<number, Term> =>
    new Map(
      members
        .flatMap(termsOf)
        .sort((a, b) => (a.token < b.token ? -1 : 1))
        .map((term) => [term.partition, term]),
    );
  const led = async (tokens: ReadonlyMap<number, Term>): Promise<ReadonlyMap<number, Term>> =>
    eventually('each partition is led in a later term', () => {
      const now = terms();
      const isLater = ({ partition, token }: Term): boolean =>
        token > (tokens.get(partition)?.token ?? 0n);
      return now.size === partitions && [...now.values()].every(isLater) && now;
    });
  return {
    events: () => members.flatMap(({ events }) => events),
    async resignAll() {
      const before = await led(new Map());
      for (const { member, partition } of before.values()) member.resign(partition);
      await led(before);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member.kill()));
      await home[Symbol.asyncDispose]();
    },
  };
}

interface Term {
  readonly member: ProcessMember;
  readonly partition: number;
  readonly token: bigint;
}

function termsOf(member: ProcessMember): readonly Term[] {
  return member.events.flatMap(({ kind, partition, token }) =>
    kind === 'acquired' && partition !== undefined && token !== undefined
      ? [{ member, partition, token }]
      : [],
  );
}

/** Pairs each term with the next one in its partition, if another process began that one. */
function successions(
  events: readonly MemberEvent[],
): readonly (readonly [TermRecord, TermRecord])[] {
  const terms = [...termRecordsOf(events)].sort((a, b) => (a.token < b.token ? -1 : 1));
  return terms.flatMap((term) => {
    const next = terms.find(
      ({ partition, token }) => partition === term.partition && token > term.token,
    );
    return next && next.life !== term.life ? [[term, next] as const] : [];
  });
}

describe('an orderly end', () => {
  it('with work that settles: in 200 hand-overs no successor begins before the work has settled (H2)', async () => {
    await using group = await openGroup({ kind: 'drain', drainMs: 30 }, 30_000);
    const handOvers = () =>
      successions(group.events()).filter(([{ end }]) => end?.kind === 'released');
    while (handOvers().length < 200) await group.resignAll();
    for (const [before, next] of handOvers()) {
      const { settledAtNs = 0n, end, belief } = before;
      expect(settledAtNs).toBeGreaterThan(0n);
      expect(end?.atNs).toBeGreaterThanOrEqual(settledAtNs);
      expect(next.belief?.fromNs ?? next.notifiedAtNs).toBeGreaterThan(settledAtNs);
      expect(next.belief?.fromNs ?? next.notifiedAtNs).toBeGreaterThanOrEqual(belief?.toNs ?? 0n);
    }
    expect(violationsOf(termRecordsOf(group.events()))).toEqual([]);
  });

  it('with work that never settles: the leader is fenced before a successor begins (H3)', async () => {
    await using group = await openGroup({ kind: 'stuck' }, 300);
    const ends = () => {
      const fenced = fencedIn(group.events());
      return successions(group.events()).filter(([term]) => fenced.has(nameOf(term)));
    };
    // On a slow machine some terms lapse instead. They are not counted.
    for (let round = 1; round <= 10 && ends().length < partitions; round += 1)
      await group.resignAll();
    expect(ends().length).toBeGreaterThanOrEqual(partitions);
    const fenced = fencedIn(group.events());
    for (const [before, next] of ends()) {
      expect(before.settledAtNs).toBeUndefined();
      expect(next.belief?.fromNs ?? next.notifiedAtNs).toBeGreaterThan(
        fenced.get(nameOf(before)) ?? 0n,
      );
    }
    expect(violationsOf(termRecordsOf(group.events()))).toEqual([]);
  });
});

/** Maps the terms that were fenced because their work did not settle to the time of the fence. */
function fencedIn(events: readonly MemberEvent[]): ReadonlyMap<string, bigint> {
  const timedOut = events.filter(
    ({ kind, detail }) => kind === 'fenced' && detail === 'drain-timed-out',
  );
  return new Map(timedOut.map((event) => [nameOf(event), event.atNs]));
}

/** Names a term. Terms of different partitions may have the same token. */
function nameOf({ partition, token }: Pick<MemberEvent, 'partition' | 'token'>): string {
  return `${partition}/${token}`;
}
