// Who is there, in one row of the table: every member counts up in it, and one that stopped counting is gone.
import { type Clock, type Instant, pause } from '@leadership/core/backend';
import type { Presence } from '@leadership/core/ledger';
import type { Table } from './table-ledger.ts';

/** How often the row is written and read. Milliseconds. */
export interface PresenceOptions {
  readonly clock: Clock;
  /** How often a member counts up; at least T. */
  readonly periodMs: number;
  /** How often the row is read. */
  readonly pollMs: number;
}

/** How many periods a member may be silent before it counts as gone. */
const silentPeriods = 3;

/** The presence of one member: `incarnation`. */
export function tablePresence(table: Table, group: string, incarnation: string, options: PresenceOptions): Presence {
  const { clock, periodMs, pollMs } = options;
  const row = `${group}/members`;
  return {
    async announce(signal) {
      for (let count = 1; !signal.aborted; count += 1) {
        await change(table, row, (members) => members.set(incarnation, count));
        await pause(clock, periodMs, signal);
      }
      await change(table, row, (members) => members.delete(incarnation));
    },
    async *present(signal) {
      const heard = new Map<string, Heard>();
      for (let told = ''; !signal.aborted; await pause(clock, pollMs, signal)) {
        const members = membersIn(await table.read(row));
        note(heard, members, clock.now());
        const silent = [...heard].filter(([, { at }]) => clock.now() - at > silentPeriods * periodMs).map(([member]) => member);
        const gone = silent.filter((member) => members.delete(member));
        if (gone.length > 0) await change(table, row, (all) => gone.forEach((member) => all.delete(member)));
        const present = [...members.keys()].sort();
        if (present.join() !== told) yield present;
        told = present.join();
      }
    },
  };
}

/** The last count of a member, and when it was first read. */
interface Heard {
  readonly count: number;
  readonly at: Instant;
}

function note(heard: Map<string, Heard>, members: ReadonlyMap<string, number>, now: Instant): void {
  for (const [member, count] of members) {
    if (heard.get(member)?.count !== count) heard.set(member, { count, at: now });
  }
}

/** Replaces the row on condition, again and again until no other member was faster. */
async function change(table: Table, row: string, edit: (members: Map<string, number>) => void): Promise<void> {
  for (;;) {
    const before = await table.read(row);
    const members = membersIn(before);
    edit(members);
    if (await table.replace(row, before, JSON.stringify([...members]))) return;
  }
}

/** The members in the row and their counts. What is no such row is as good as an empty one: everyone soon counts up in it again. */
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
