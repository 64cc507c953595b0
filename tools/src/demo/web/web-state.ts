// The state behind the demo's page: the fate of each member, and the leader.
import type { Snapshot } from '@leadership/dashboard/internal';
import type { DemoGroup } from '../group.ts';
import { History } from '../history.ts';
import type { MemberEvent, Members } from '../members.ts';

/** The last thing that the demo has done to a member. */
export type Fate = 'starting' | 'running' | 'stopped' | 'cut off' | 'killed';

/** What the demo has done to its members, and who leads by their own words. */
export class WebState {
  readonly group: DemoGroup;
  readonly members: Members;
  readonly history: History = new History();
  readonly fates: Map<string, Fate> = new Map();
  news = '';
  /** Whether the demo's source observes leaders on this backend. */
  #observes = false;
  /** Why the last term ended, and when. */
  #cause: { readonly words: string; readonly atMs: number } | undefined;

  constructor(group: DemoGroup, members: Members) {
    this.group = group;
    this.members = members;
  }

  /** The activity of a member whose process runs. */
  stateOf(name: string): string {
    return this.history.leader === name ? 'leading' : 'waiting';
  }

  note(from: MemberEvent): void {
    const { member, event } = from;
    const fate = this.fates.get(member);
    if (fate === 'killed') return;
    if (fate === 'starting' && event.kind !== 'says') this.fates.set(member, 'running');
    if (event.kind === 'ended' && this.history.leader === member)
      this.#cause = { words: `the command of ${member} had ended`, atMs: Date.now() };
    this.history.note(from);
    if (event.kind === 'leads') this.#tellLeader(member);
  }

  /** Notes what the demo has just done to a member, in words that follow its name. */
  did(name: string, fate: Fate, words: string): void {
    this.fates.set(name, fate);
    this.news = `${name} ${words}.`;
    if (this.history.leader === name) this.#cause = { words: `${name} ${words}`, atMs: Date.now() };
    if (fate === 'killed') this.history.killed(name);
  }

  /**
   * Returns the leaders for the page: those that the demo's source observes. On some backends a
   * source that is no member observes none: then the member that says so of itself.
   */
  leaders(observed: Snapshot['leaders']): Snapshot['leaders'] {
    this.#observes ||= observed.length > 0;
    if (!this.#observes) return this.#ownLeaders();
    // A stopped process cannot say that its lease is over.
    if (observed.length === 0 && this.#isSilent()) this.history.lapsed();
    return observed.map((one) => {
      const member = this.#nameOf(one.member);
      const isGone = this.fates.get(member) === 'killed' && this.history.leader !== member;
      return { ...one, member, ...(isGone && { gone: 'killed' }) };
    });
  }

  #ownLeaders(): Snapshot['leaders'] {
    const { leader, term } = this.history;
    if (leader === undefined || term === undefined) return [];
    return [{ partition: 0, member: leader, token: term.token, self: false }];
  }

  /** Whether the leader is stopped or cut off. */
  #isSilent(): boolean {
    const fate = this.fates.get(this.history.leader ?? '');
    return fate === 'stopped' || fate === 'cut off';
  }

  /** Returns the name that the demo shows for a member. */
  #nameOf(member: string): string {
    const entries = Object.entries(this.group.addresses ?? {});
    return entries.find(([, address]) => address === member)?.[0] ?? member;
  }

  #tellLeader(member: string): void {
    if (this.#cause === undefined) return;
    const { words, atMs } = this.#cause;
    this.#cause = undefined;
    this.news = `${member} leads, ${Math.max(0, Date.now() - atMs)} ms after ${words}.`;
  }
}
