// Reports to the host whether this voter grants leases, and would grant again after a restart. A
// rolling restart waits for it before it stops the next member.
import { LeadershipError } from '@leadership/core';
import type { Host } from '@leadership/core/adapter';
import type { HealthReporter } from '@leadership/core/internal/engine';
import { isBarred } from '../protocol/hard-state.ts';
import { includes } from '../protocol/members.ts';
import type { MemberState } from '../protocol/state.ts';
import { isVoter } from '../protocol/step-context.ts';

/** The parts and callbacks of the reporter. */
export interface GrantingParts {
  readonly host: Pick<Host, 'measured'>;
  readonly health: HealthReporter;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
  readonly isReached: (member: string) => boolean;
  /** Whether a later incarnation of this voter would grant without learning. */
  readonly isKept: () => boolean;
}

/** Tracks whether this voter grants. */
export class Granting {
  readonly #parts: GrantingParts;
  #grants: boolean | undefined;

  constructor(parts: GrantingParts) {
    this.#parts = parts;
  }

  /** Reports a change. `now` is on the lease clock. */
  report(state: MemberState, now: number): void {
    const { host, health, thresholdMs, isKept } = this.#parts;
    const grants = isGranting(state) && isKept();
    if (grants !== this.#grants) host.measured('granting', Number(grants));
    this.#grants = grants;
    // The machine repeats its queries meanwhile, and each step calls this method: no timer is
    // needed.
    const isWaiting =
      isVoter(state) && state.learning !== undefined && now >= state.mutedUntil + thresholdMs;
    if (isWaiting) health.raise('granting', this.#waiting(state));
    else if (health.has('granting')) health.mend('granting');
  }

  #waiting({ electorate: { names, voters }, self }: MemberState): LeadershipError {
    const others = names.filter((name, index) => includes(voters, index) && name !== self.member);
    const missing = others.filter((name) => !this.#parts.isReached(name));
    const whom =
      missing.length > 0
        ? `${missing.join(', ')}, which cannot be reached`
        : `answers of ${others.join(', ')}`;
    const sentence = `this voter grants no lease, because it does not know the tokens of earlier grants: to learn them it waits for ${whom}`;
    return new LeadershipError('no-quorum', sentence);
  }
}

/**
 * Whether the voter grants: it is not learning about its forgotten grants (N4, N16), and is not
 * wedged (N13).
 */
function isGranting(state: MemberState): boolean {
  return (
    isVoter(state) && state.learning === undefined && state.wedge === undefined && !isBarred(state)
  );
}
