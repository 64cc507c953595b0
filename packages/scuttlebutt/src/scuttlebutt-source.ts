import type { LeadershipSource, Metadata } from '@leadership/core';
import type { Observable } from 'rxjs';

/** How a known member appears to live, as this one has received it. */
export interface GossipMember {
  /** The name of the member. */
  readonly member: string;
  /** Whether this source is the member. */
  readonly self: boolean;
  /** Grows with every start of the member. */
  readonly generation: number;
  /** Whether it has shown that it lives, and is not suspected. */
  readonly alive: boolean;
  /** Whether it has lived and is silent for too long now. */
  readonly suspect: boolean;
  /**
   * How unusual its silence is: −log10 of its probability while the member lives. 0 for this
   * member, infinite for a member that has shown no life yet.
   */
  readonly phi: number;
  /** The strings that it publishes about itself. */
  readonly metadata: Metadata;
}

/** A source of a group that gossips: every method of a source, how its members live, and a small state. */
export interface ScuttlebuttSource extends LeadershipSource {
  /**
   * The known members by name, this one and those that are suspected included; replayed. Emits once
   * per round of gossip, because `phi` changes all the time. `members$` has those that seem to live.
   */
  readonly liveness$: Observable<ReadonlyMap<string, GossipMember>>;
  /**
   * The state that members publish with `set`: member → key → value; replayed. Emits within a round
   * of gossip after a change has arrived.
   */
  readonly state$: Observable<ReadonlyMap<string, ReadonlyMap<string, string>>>;
  /**
   * Publishes a value of this member to all members, or deletes it with `undefined`. Only this
   * member writes its keys. The latest value reaches every member after some rounds of gossip;
   * earlier values may be skipped.
   * @throws LeadershipError `invalid-options` if the key or value is too long, or there are too many
   * keys; `closed`
   */
  set(key: string, value: string | undefined): void;
}
