// Presence in one row of the table: every member increments its counter in the row. A member whose counter stops is absent.

import type { Presence } from '@leadership/core/adapter';
import { type Clock, type Instant, sleep } from '@leadership/core/adapter';
import type { Table } from './table-ledger.ts';

/** The clock and the intervals, in milliseconds. */
export interface PresenceOptions {
  readonly clock: Clock;
  /** How often a member increments its counter; at least T. */
  readonly periodMs: number;
  /** How often the row is read. */
  readonly pollMs: number;
}

/** After this many periods without an increment, a member counts as absent. */
const silentPeriods = 3;

/** Returns the presence of the member with this incarnation. */
export function tablePresence(table: Table, group: string, incarnation: string, options: PresenceOptions): Presence {
  const { clock, periodMs, pollMs } = options;
  const row = `${group}/members`;
  return {
    async announce(signal) {
      for (let count = 1; !signal.aborted; count += 1) {
        await change(table, row, (members) => members.set(incarnation, count));
        await sleep(clock, periodMs, signal);
      }
      await change(table, row, (members) => members.delete(incarnation));
    },
    async *present(signal) {
      const seen = new Map<string, Seen>();
      for (let reported = ''; !signal.aborted; await sleep(clock, pollMs, signal)) {
        const members = membersIn(await table.read(row));
        note(seen, members, clock.now());
        const silent = [...seen].filter(([, { at }]) => clock.now() - at > silentPeriods * periodMs).map(([member]) => member);
        const absent = silent.filter((member) => members.delete(member));
        if (absent.length > 0) await change(table, row, (all) => absent.forEach((member) => all.delete(member)));
        const present = [...members.keys()].sort();
        if (present.join() !== reported) yield present;
        reported = present.join();
      }
    },
  };
}

/** The latest count of a member, and when it was first read. */
interface Seen {
  readonly count: number;
  readonly at: Instant;
}

function note(seen: Map<string, Seen>, members: ReadonlyMap<string, number>, now: Instant): void {
  for (const [member, count] of members) {
    if (seen.get(member)?.count !== count) seen.set(member, { count, at: now });
  }
}

/** Changes the row with a conditional write, and retries until no other member has changed it meanwhile. */
async function change(table: Table, row: string, edit: (members: Map<string, number>) => void): Promise<void> {
  for (;;) {
    const before = await table.read(row);
    const members = membersIn(before);
    edit(members);
    if (await table.replace(row, before, JSON.stringify([...members]))) return;
  }
}

/** Returns the members in the row and their counts. An invalid row counts as empty, because every member soon writes its counter again. */
function membersIn(text: string | undefined): Map<string, number> {
  try {
    const entries: unknown = JSON.parse(text ?? '[]');
    return new Map(Array.isArray(entries) ? entries.filter(isEntry) : []);
  } catch {
    return new Map();
  }
}

function isEntry(entry: unknown): entry is [string, number] {
  return Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'number';
}
