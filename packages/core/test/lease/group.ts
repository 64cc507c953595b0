// A few members over one store, on a clock that a test moves. It writes their actions down as a
// transcript for people.
import { endOf } from '../../src/lease/ends.ts';
import { newMember } from '../../src/lease/new-member.ts';
import type { MemberState } from '../../src/lease/state.ts';
import { step } from '../../src/lease/step.ts';
import type { Input, LeaseConfig, Output } from '../../src/lease/types.ts';
import { RowStore } from '../../src/rows/row-store.ts';
import type { Exchanged, RowChange } from '../../src/rows/rows.ts';
import type { Instant } from '../../src/time/instant.ts';

/** T, and how long a request takes to the store, and an answer back. Milliseconds. */
const thresholdMs = 1000;
const wayMs = 2;

interface Member {
  readonly name: string;
  state: MemberState;
  /** By how much its wall clock is ahead. Milliseconds. */
  readonly aheadMs: number;
  /** Until when requests, and answers, are lost. */
  cutUntil: number;
  wakeAt: number;
}

interface Event {
  readonly at: number;
  readonly run: () => void;
}

/** A group on a clock of its own. */
export class Group {
  readonly store: RowStore = new RowStore();
  readonly lines: string[] = [];
  /** The reports of leaders by each member: the leader, if there is one, and how the term before ended. */
  readonly reports: Map<string, string[]> = new Map();
  readonly #members = new Map<string, Member>();
  readonly #events: Event[] = [];
  readonly #denied = new Set<string>();
  /** The rows that a request changes which is not committed yet, or that a stranger has locked. */
  readonly #locked = new Set<string>();
  readonly #config: Partial<LeaseConfig>;
  readonly #commitMs: number;
  #now = 0;

  /** `commitMs`: how long a request with changes locks their rows, before others see them. */
  constructor(config: Partial<LeaseConfig> = {}, commitMs = 0) {
    this.#config = config;
    this.#commitMs = commitMs;
  }

  /** Starts a member, or a new life of it. */
  start(name: string, life = 1, config: Partial<LeaseConfig> = {}, aheadMs = 0): void {
    const state = newMember({
      group: 'g',
      member: name,
      incarnation: life === 1 ? name : `${name}${life}`,
      metadata: {},
      partitions: 1,
      thresholdMs,
      thresholdMsMax: thresholdMs,
      driftRate: 0,
      campaign: true,
      jitter: 0,
      traits: { changesMax: 64 },
      ...this.#config,
      ...config,
    });
    this.#members.set(name, {
      name,
      state,
      aheadMs,
      cutUntil: 0,
      wakeAt: Number.POSITIVE_INFINITY,
    });
    this.#write(name, 'starts');
    this.feed(name, { kind: 'wake' });
  }

  /** Ends a member without warning. */
  kill(name: string): void {
    this.#members.delete(name);
    this.#write(name, 'is killed');
  }

  /** Loses all requests of a member, and all answers to it. */
  cut(name: string, ms: number): void {
    this.#member(name).cutUntil = this.#now + ms;
    this.#write(name, `is cut off for ${ms} ms`);
  }

  /** Writes what happens to the store itself. */
  change(what: string, change: (store: RowStore) => void): void {
    change(this.store);
    this.#write('store', what);
  }

  /** Refuses all changes of a row for a while, as if a stranger had locked it. */
  lock(row: string, ms: number): void {
    this.#locked.add(row);
    this.#at(this.#now + ms, () => this.#locked.delete(row));
    this.#write('store', `locks the row of ${row.replace('#', ' ')} for ${ms} ms`);
  }

  /** Denies a member the right to write partitions. */
  deny(name: string): void {
    this.#denied.add(name);
    this.#write(name, 'may write no partition from now on');
  }

  feed(name: string, input: Input): void {
    const member = this.#members.get(name);
    if (member === undefined) return;
    if (input.kind === 'resign' || input.kind === 'close')
      this.#write(name, `is asked to ${input.kind}`);
    const { outputs, wakeAt } = step(member.state, input, {
      now: this.#now as Instant,
      wallMicros: 1_000_000 + Math.round((this.#now + member.aheadMs) * 1000),
    });
    for (const output of outputs) this.#perform(member, output);
    member.wakeAt = wakeAt;
    this.#at(wakeAt, () => {
      if (member.wakeAt === wakeAt && this.#members.get(name) === member)
        this.feed(name, { kind: 'wake' });
    });
  }

  state(name: string): MemberState {
    return this.#member(name).state;
  }

  /** Lets time pass. */
  pass(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      this.#events.sort((a, b) => a.at - b.at);
      const next = this.#events[0];
      if (next === undefined || next.at > until) break;
      this.#events.shift();
      this.#now = Math.max(this.#now, next.at);
      next.run();
    }
    this.#now = until;
  }

  #member(name: string): Member {
    const member = this.#members.get(name);
    if (member === undefined) throw new Error(`${name} does not run`);
    return member;
  }

  #at(at: number, run: () => void): void {
    if (at < Number.POSITIVE_INFINITY) this.#events.push({ at, run });
  }

  #perform(member: Member, output: Output): void {
    const { name } = member;
    const partition = 'partition' in output ? output.partition : 0;
    if (output.kind === 'exchange') return this.#exchange(member, output);
    if (output.kind === 'leader') return this.#report(member, output);
    if (output.kind === 'granted')
      return this.#write(name, `leads partition ${partition}, token ${output.token}`);
    if (output.kind === 'lost')
      return this.#write(name, `has lost partition ${partition}: ${output.reason}`);
    if (output.kind === 'released')
      return this.#write(name, `leads partition ${partition} no more`);
    if (output.kind === 'trouble') return this.#write(name, `reports: ${output.message}`);
    if (output.kind === 'drain') {
      this.#write(name, `ends the work of partition ${partition}`);
      const { token } = output;
      this.#at(this.#now + 10, () => this.feed(name, { kind: 'drained', partition, token }));
    }
    if (output.kind === 'ready' || output.kind === 'closed' || output.kind === 'refused')
      this.#write(name, `is ${output.kind}`);
  }

  #report(
    { name, state }: Member,
    { partition, leader, before }: Output & { kind: 'leader' },
  ): void {
    const ended = endOf(state, partition, before);
    const report = `${leader?.member ?? 'nobody'}${ended ? ` after ${ended}` : ''}`;
    this.reports.set(name, [...(this.reports.get(name) ?? []), report]);
  }

  #exchange(
    member: Member,
    { id, changes, ...request }: Output & { readonly kind: 'exchange' },
  ): void {
    const { name, state } = member;
    const isCut = (): boolean => this.#now < member.cutUntil;
    const isPresent = (): boolean => this.#members.get(name)?.state === state;
    this.#at(this.#now + request.limitMs, () => {
      if (isPresent())
        this.feed(name, { kind: 'failed', id, code: 'unreachable', message: 'no answer' });
    });
    if (isCut()) return;
    this.#at(this.#now + wayMs, () => {
      const isDenied = (change: RowChange): boolean =>
        this.#locked.has(change.name) ||
        (this.#denied.has(name) && change.name.startsWith('partition#'));
      const allowed = changes.map((change) => (isDenied(change) ? denied(change) : change));
      const names = allowed.filter((_, index) => allowed[index] === changes[index]);
      for (const change of names) this.#locked.add(change.name);
      this.#at(this.#now + (names.length > 0 ? this.#commitMs : 0), () => {
        for (const change of names) this.#locked.delete(change.name);
        const answer = this.store.exchange({ changes: allowed, ...request });
        this.#writeChanges(name, changes, answer);
        this.#notify(name, changes, answer);
        this.#at(this.#now + wayMs, () => {
          if (!isCut() && isPresent()) this.feed(name, { kind: 'exchanged', id, answer });
        });
      });
    });
  }

  #notify(from: string, changes: readonly RowChange[], { outcomes }: Exchanged): void {
    if (this.#config.isSilent) return;
    if (!changes.some((change, index) => change.isAwaited && outcomes[index])) return;
    for (const name of this.#members.keys())
      if (name !== from) this.#at(this.#now + wayMs, () => this.feed(name, { kind: 'notified' }));
  }

  #writeChanges(
    name: string,
    changes: readonly RowChange[],
    { outcomes, isRestarted }: Exchanged,
  ): void {
    if (isRestarted) return this.#write(name, 'finds another history of the store');
    const told = changes.map((change, index) => sentenceOf(change, outcomes[index] === true));
    const news = told.filter((sentence) => sentence !== undefined);
    if (news.length > 0) this.#write(name, news.join('; '));
  }

  #write(who: string, what: string): void {
    this.lines.push(`${String(Math.round(this.#now)).padStart(6)} ms  ${who.padEnd(6)}${what}`);
  }
}

/** A change that the store refuses. */
function denied(change: RowChange): RowChange {
  return { ...change, expected: 'no text' };
}

/** Says in words what a change does. It leaves out renewals. */
function sentenceOf({ name, text }: RowChange, isDone: boolean): string | undefined {
  const [kind, id] = name.split('#');
  const record = text === null ? undefined : JSON.parse(text);
  const refused = isDone ? '' : ' (refused)';
  if (kind === 'member') return undefined;
  if (record === undefined) return `removes the row of ${kind} ${id}${refused}`;
  if (kind === 'pin') return `pins the group${refused}`;
  if (kind === 'session') {
    if (record.kind !== 'live')
      return `${record.kind === 'ended' ? 'ends' : 'deposes'} session ${id}${refused}`;
    if (record.version === 0) return `opens session ${id}${refused}`;
    if (record.wants.length > 0) return `asks for partition ${record.wants.join(', ')}${refused}`;
    return isDone ? undefined : `renews session ${id}${refused}`;
  }
  if (record.kind === 'none') return `creates the row of partition ${id}${refused}`;
  if (record.kind === 'hold')
    return `claims partition ${id} for session ${record.session}, token ${record.token}${refused}`;
  const to =
    record.session === undefined ? 'nobody' : `session ${record.session}, token ${record.token}`;
  return `releases partition ${id} to ${to}${refused}`;
}
