// Whether this voter grants leases, as its host is told: whoever restarts members one after the other waits for it.
import { LeadershipError } from '@leadership/core';
import type { Host, Troubles } from '@leadership/core/backend';
import { includes } from '../protocol/members.ts';
import type { MemberState } from '../protocol/state.ts';
import { isVoter } from '../protocol/turn.ts';
import { isBarred } from '../protocol/vows.ts';

/** Whom it tells, and whom it asks. */
export interface GrantingParts {
  readonly host: Pick<Host, 'measured'>;
  readonly troubles: Troubles;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
  readonly isReached: (member: string) => boolean;
}

/** Follows whether this voter grants. */
export class Granting {
  readonly #parts: GrantingParts;
  #grants: boolean | undefined;

  constructor(parts: GrantingParts) {
    this.#parts = parts;
  }

  /** Tells what has changed; `now` is by the clock that leases are measured by. */
  tell(state: MemberState, now: number): void {
    const { host, troubles, thresholdMs } = this.#parts;
    const grants = isGranting(state);
    if (grants !== this.#grants) host.measured('granting', Number(grants));
    this.#grants = grants;
    // The machine asks the others again and again meanwhile: no alarm is needed to look.
    const isWaiting = isVoter(state) && state.learning !== undefined && now >= state.mutedUntil + thresholdMs;
    if (isWaiting) troubles.raise('granting', this.#waiting(state));
    else if (troubles.has('granting')) troubles.mend('granting');
  }

  #waiting({ electorate: { names, voters }, self }: MemberState): LeadershipError {
    const others = names.filter((name, index) => includes(voters, index) && name !== self.member);
    const missing = others.filter((name) => !this.#parts.isReached(name));
    const whom = missing.length > 0 ? `${missing.join(', ')}, which cannot be reached` : `answers of ${others.join(', ')}`;
    const sentence = `this voter grants no lease, as it has no memory of earlier ones: to learn which tokens were granted it waits for ${whom}`;
    return new LeadershipError('no-quorum', sentence);
  }
}

/** Not while it has yet to find out what it granted before (N4, N16), nor once it is bound to grant no more (N13). */
function isGranting(state: MemberState): boolean {
  return isVoter(state) && state.learning === undefined && state.wedge === undefined && !isBarred(state);
}
