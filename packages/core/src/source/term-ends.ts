// How the last term of each partition ended, and since when no member leads: the fields of an
// event `leader` beside the leader.
import type { KnownLeader } from '../contract/backend.ts';
import type { LossReason } from '../contract/leadership.ts';
import type { TermEnd } from '../contract/term-end.ts';
import type { Instant } from '../time/instant.ts';
import type { EventDetails } from './event-record.ts';

/** The last term of a partition that this member has read of, or led. */
interface LastTerm {
  readonly token: bigint;
  /** How and when it ended. Absent: it has not. */
  readonly end?: { readonly how: TermEnd; readonly at: Instant };
}

/** The last term of each partition. */
export class TermEnds {
  readonly #last: (LastTerm | undefined)[] = [];

  /** Notes the end of a term that this member led. */
  ended(partition: number, token: bigint, loss: LossReason | 'released', at: Instant): void {
    this.#last[partition] = { token, end: { how: endBy(loss), at } };
  }

  /**
   * Notes the leader of a partition, which has changed, and how the backend says that the term before
   * ended. Returns what is known of that end now.
   */
  leads(
    partition: number,
    leader: Pick<KnownLeader, 'token'> | undefined,
    ended: TermEnd | undefined,
    now: Instant,
  ): Pick<EventDetails, 'ended' | 'leaderlessMs'> {
    const last = this.#last[partition];
    if (leader === undefined) return this.#vacant(partition, last, ended, now);
    this.#last[partition] = { token: leader.token };
    // The same term again was never over: its renewals had not been read for a while.
    if (last === undefined || last.token === leader.token) return {};
    const { how = 'unknown', at = now } = last.end ?? {};
    const known = ended ?? how;
    return {
      ended: known === 'unknown' ? 'superseded' : known,
      leaderlessMs: Math.max(0, now - at),
    };
  }

  #vacant(
    partition: number,
    last: LastTerm | undefined,
    ended: TermEnd | undefined,
    now: Instant,
  ): Pick<EventDetails, 'ended'> {
    if (last === undefined) return {};
    const { how: before = 'unknown', at = now } = last.end ?? {};
    const how = ended ?? before;
    this.#last[partition] = { ...last, end: { how, at } };
    return { ended: how };
  }
}

/** Returns how the group sees the end of a term of this member. */
function endBy(loss: LossReason | 'released'): TermEnd {
  if (loss === 'released') return 'handed-over';
  return loss === 'superseded' ? 'superseded' : 'lapsed';
}
