import type { Leadership } from '@leadership/core';
import type { ObservedTerm } from '@leadership/dashboard/internal';
import type { MemberMessage } from '../member-message.ts';

/** The last thing that the demo has done to a member. */
export type Fate = 'starting' | 'running' | 'stopped' | 'cut off' | 'killed';

/** The known state of a member: the last action of the demo, and the last report of the member. */
export interface MemberRecord {
  readonly name: string;
  fate: Fate;
  state: Leadership['state'];
  /** When its lease ends unless it is renewed, by the wall clock. Milliseconds. */
  leaseUntilMs: number;
  /** Its current term, or one whose lease has not ended. */
  term?: ObservedTerm;
  /** The troubles that it has reported, by code and partition. */
  readonly troubles: Map<string, Trouble>;
}

/** A trouble of a member, for the page. */
interface Trouble {
  readonly code: string;
  readonly message: string;
  readonly sinceMs: number;
}

/** Creates the record of a member that has just started. */
export function newRecord(name: string): MemberRecord {
  return { name, fate: 'starting', state: 'waiting', leaseUntilMs: 0, troubles: new Map() };
}

/** Updates the record from a message of its member. */
export function noteIn(record: MemberRecord, note: MemberMessage): void {
  if (note.kind === 'observation') {
    record.state = note.state;
    if (note.token !== undefined) record.leaseUntilMs = Date.now() + note.remainingMs;
  } else if (note.kind === 'event') noteTrouble(record, note);
}

function noteTrouble(
  { name, troubles }: MemberRecord,
  { event }: MemberMessage & { kind: 'event' },
): void {
  const { kind, code, message, partition, at } = event;
  if (code === undefined) return;
  const key = `${code} ${partition}`;
  if (kind === 'mended') troubles.delete(key);
  if (kind === 'trouble') troubles.set(key, { code, message: `${name}: ${message}`, sinceMs: at });
}
