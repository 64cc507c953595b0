// The state of a group in parts: a page receives all of them once, and later those that changed.
import { printable } from '@leadership/core/internal';
import type { Snapshot } from './snapshot.ts';

/** The parts of a state as JSON, by their names, such as `partition 3` and `member alice`. */
export type Parts = ReadonlyMap<string, string>;

/**
 * How far the end of a lease may be from the one that was sent: two readings of the same lease
 * differ a little, and the page shows tenths of a second. Milliseconds.
 */
const leaseMsTolerated = 25;

/** Reads states as parts. */
export class PartsReader {
  readonly #snapshot: () => Snapshot;
  /** The ends of the leases as they were sent, by the clock of this process. */
  #ends: ReadonlyMap<string, number> = new Map();

  constructor(snapshot: () => Snapshot) {
    this.#snapshot = snapshot;
  }

  /** Reads the present state. */
  read(): Parts {
    const { leaders, roles, members, terms, troubles, warnings, ...rest } = this.#snapshot();
    // These differ in each reading: the page receives the time with each message.
    const { atMs: _at, confirmedMsAgo: _confirmed, ...group } = rest;
    const parts = new Map<string, string>();
    const set = (name: string, value: unknown): void => {
      parts.set(printable(name), jsonOf(value));
    };
    set('group', group);
    set('problems', { troubles, warnings });
    const leases = this.#readLeases(leaders);
    for (const [name, endsMs] of this.#ends) if (name.startsWith('lease ')) set(name, endsMs);
    const namesOf = new Map(roles.map(({ partition, names }) => [partition, names]));
    for (const [partition, names] of namesOf) set(`partition ${partition}`, { roles: names });
    for (const { partition, remainingMs: _remaining, ...leader } of leaders)
      set(`partition ${partition}`, {
        ...leader,
        lease: leases.get(partition),
        roles: namesOf.get(partition),
      });
    for (const member of members) set(`member ${member.name}`, member);
    for (const term of terms) set(`term ${term.partition} ${term.token} ${term.fromMs}`, term);
    return parts;
  }

  /**
   * Returns the lease of each partition: `true` if it is that of its member, otherwise its own end.
   * A renewal prolongs all leases of a member, so their common end is a part of its own.
   */
  #readLeases(leaders: Snapshot['leaders']): ReadonlyMap<number, number | true> {
    const nowMs = performance.now();
    const ends = new Map<string, number>();
    // Two leases that are over are the same, although the rest of each is given as 0 again and again.
    const isSame = (one: number | undefined, other: number, toleratedMs: number): one is number =>
      one !== undefined && (Math.abs(one - other) <= toleratedMs || Math.max(one, other) <= nowMs);
    const steady = (name: string, endsMs: number): number => {
      const sent = this.#ends.get(name);
      const kept = isSame(sent, endsMs, leaseMsTolerated) ? sent : Math.round(endsMs);
      ends.set(name, kept);
      return kept;
    };
    const leases = new Map<number, number | true>();
    for (const { partition, member, remainingMs } of leaders) {
      if (remainingMs === undefined) continue;
      const endsMs = nowMs + remainingMs;
      const name = `lease ${member}`;
      const shared = ends.get(name) ?? steady(name, endsMs);
      const isShared = isSame(shared, endsMs, 2 * leaseMsTolerated);
      leases.set(partition, isShared || steady(`partition ${partition}`, endsMs));
    }
    this.#ends = ends;
    return leases;
  }
}

/**
 * Returns the message after which a page that has received `before` shows `after`. Its size grows
 * with the number of parts that differ, not with the number of partitions.
 */
export function messageOf(before: Parts | undefined, after: Parts): string {
  const changed = [...after].filter(([name, json]) => before?.get(name) !== json);
  const gone = [...(before?.keys() ?? [])].filter((name) => !after.has(name));
  const parts = changed.map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return `{${[
    `"atMs":${Date.now()}`,
    `"clockMs":${Math.round(performance.now())}`,
    ...(before === undefined ? ['"isWhole":true'] : []),
    ...(parts.length > 0 ? [`"parts":{${parts.join()}}`] : []),
    ...(gone.length > 0 ? [`"gone":${JSON.stringify(gone)}`] : []),
  ].join()}}`;
}

/** Names and messages come from other members: no text may change how the page shows another. */
function jsonOf(part: unknown): string {
  return JSON.stringify(part, (_key, value: unknown) =>
    typeof value === 'string' ? printable(value) : value,
  );
}
