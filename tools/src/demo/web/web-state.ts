// The state of the page: what the members report, and what the demo has done to them.
import type { Guarantees, LeadershipEvent } from '@leadership/core';
import type { ObservedTerm, Snapshot } from '@leadership/dashboard/internal';
import { memberNames } from '../member-names.ts';
import type { SentMessage } from '../members.ts';
import { type Fate, type MemberRecord, newRecord, noteIn } from './member-record.ts';

/** The number of terms that are kept, as on the page of an application. */
const termsMax = 60;

/** Shown until a member has reported the guarantees of its backend. */
const unknownGuarantees: Guarantees = {
  exclusive: true,
  tokens: 'ordered',
  handover: 'drained',
  assumes: [],
  overlapMsMax: 0,
  failoverMsMax: 'unbounded',
};

/** The text of the page until a button was pressed. */
export const introduction: string =
  'Three processes, one leader. Kill it, stop it or let it hand over, and see who leads then.';

/** Why the last term ended, and since when its group waits for a leader. */
interface Cause {
  readonly words: string;
  readonly atMs: number;
}

/** Follows the members of the demo. */
export class WebState {
  readonly members: ReadonlyMap<string, MemberRecord> = new Map(
    memberNames.map((name) => [name, newRecord(name)]),
  );
  news: string = introduction;
  #guarantees = unknownGuarantees;
  #terms: readonly ObservedTerm[] = [];
  #cause: Cause | undefined;

  member(name: string): MemberRecord {
    const record = this.members.get(name);
    if (record === undefined) throw new Error(`there is no member ${name}`);
    return record;
  }

  /** The member that leads, if its process runs. */
  leads(name: string): boolean {
    const { term } = this.member(name);
    return term !== undefined && term.untilMs === undefined;
  }

  note({ member, message }: SentMessage): void {
    const record = this.member(member);
    noteIn(record, message);
    if (message.kind === 'opened') {
      this.#guarantees = message.guarantees;
      record.fate = 'running';
    }
    if (message.kind === 'event') this.#noteTerm(record, message.event);
  }

  /** Notes what the demo has just done to a member, in words that follow its name. */
  did(name: string, fate: Fate, words: string): void {
    const record = this.member(name);
    record.fate = fate;
    this.news = `${name} ${words}.`;
    if (fate === 'killed') {
      record.troubles.clear();
      end(record.term, Date.now(), 'lost', 'killed');
    }
    if (record.term !== undefined) this.#cause = { words: `${name} ${words}`, atMs: Date.now() };
  }

  snapshot(): Omit<Snapshot, 'members'> {
    const atMs = Date.now();
    for (const record of this.members.values()) expire(record, atMs);
    const records = [...this.members.values()];
    const troubles = records.flatMap(({ troubles }) => [...troubles.values()]);
    const leaders = records.flatMap((record) => leaderOf(record, atMs));
    return {
      atMs,
      leaders,
      troubles,
      terms: this.#terms,
      news: this.news,
      group: 'demo',
      member: '',
      partitions: 1,
      guarantees: this.#guarantees,
      warnings: [],
      confirmedMsAgo: 0,
      knowsAllLeases: true,
      ok: troubles.length === 0 && leaders.some(({ gone }) => gone === undefined),
    };
  }

  #noteTerm(record: MemberRecord, { kind, at, token, reason }: LeadershipEvent): void {
    if (kind === 'acquired') this.#begin(record, at, String(token));
    if (kind === 'released') {
      end(record.term, at, 'handed over', 'handed over');
      this.#cause = { words: `the work of ${record.name} had drained`, atMs: at };
    }
    if (kind === 'fenced') end(record.term, at, 'lost', `lost: ${reason}`);
    if (kind === 'released' || kind === 'fenced') delete record.term;
  }

  #begin(record: MemberRecord, fromMs: number, token: string): void {
    for (const other of this.members.values()) {
      end(other.term, fromMs, 'lost', 'lost: its lease has ended');
      delete other.term;
    }
    record.term = { partition: 0, member: record.name, token, self: false, fromMs };
    record.leaseUntilMs = fromMs;
    this.#terms = [...this.#terms, record.term].slice(-termsMax);
    if (this.#cause === undefined) return;
    const { words, atMs } = this.#cause;
    this.#cause = undefined;
    this.news = `${record.name} leads, ${Math.max(0, fromMs - atMs)} ms after ${words}.`;
  }
}

/** Ends a term that has not ended yet. */
function end(
  term: ObservedTerm | undefined,
  untilMs: number,
  ending: NonNullable<ObservedTerm['ending']>,
  words: string,
): void {
  if (term === undefined || term.untilMs !== undefined) return;
  Object.assign(term, { untilMs: Math.max(untilMs, term.fromMs), ending, end: words });
}

/** Ends the term of a member that cannot report it: its lease is over. */
function expire(record: MemberRecord, atMs: number): void {
  const { fate, term, leaseUntilMs } = record;
  if (term === undefined || fate === 'running' || leaseUntilMs > atMs) return;
  end(term, leaseUntilMs, 'lost', 'lost: its lease has ended');
  delete record.term;
}

function leaderOf(
  { name, fate, term, leaseUntilMs }: MemberRecord,
  atMs: number,
): Snapshot['leaders'] {
  if (term === undefined) return [];
  const remainingMs = Math.max(0, leaseUntilMs - atMs);
  const leader = { partition: 0, member: name, token: term.token, self: false, remainingMs };
  return [fate === 'killed' ? { ...leader, gone: 'killed' } : leader];
}
