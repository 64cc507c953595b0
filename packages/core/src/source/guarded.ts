// A source and its guard: a process beside this one that releases the leases of this member if this
// process dies (L13 to L16). The environment names the guard. The members' side is here, and what a
// guard asks of the source by which it observes a group.
import type { Membership } from '../contract/backend.ts';
import type { Guarantees } from '../contract/guarantees.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { ResolvedOptions } from '../contract/resolved-options.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { GuardLink, guardPath } from '../process/guard/guard-link.ts';
import { guardVariable } from '../process/guard/hello.ts';
import type { SourceState } from './source-state.ts';

/** The key of a source's guarding. It is the same in every copy of this library in a process. */
const key: unique symbol = Symbol.for('@leadership/core/guarded');

/** The part of T after which both descriptors are checked again, and the limits in milliseconds. */
const checkShare = 1 / 50;
const checkMs = { min: 10, max: 200 };

/** How a guard opens the same group, or why it cannot. */
export type Reach = { readonly url: string } | { readonly problem: string };

/** What a source and its guard ask of each other. */
interface Guarded {
  readonly incarnation: string;
  /** Connects this member to the guard that the environment names, if any. */
  connectGuard(how: Reach): void;
  /** Absent if the backend cannot release for a dead member. */
  readonly died?: (incarnation: string) => Promise<void>;
}

/** The dependencies of `SourceGuard`. */
interface GuardedParts {
  readonly options: ResolvedOptions;
  readonly state: SourceState;
  readonly membership: Membership;
  /** This incarnation must never lead again (L15). */
  readonly exposed: (error: LeadershipError) => void;
}

/** The guarding of one source. */
export class SourceGuard {
  readonly #parts: GuardedParts;
  #link: GuardLink | undefined;
  #isGuarded = false;
  #warning: Disposable | undefined;

  constructor(source: LeadershipSource, parts: GuardedParts) {
    this.#parts = parts;
    const { membership, state } = parts;
    const value: Guarded = {
      incarnation: state.incarnation,
      connectGuard: (how) => this.#join(how),
      ...(membership.died && {
        died: async (incarnation: string): Promise<void> => membership.died?.(incarnation),
      }),
    };
    Object.defineProperty(source, key, { value });
  }

  /** Adds the assumption that a guard makes: that a proof of death is true (L13). */
  guarantees(guarantees: Guarantees): Guarantees {
    if (!this.#isGuarded) return guarantees;
    return { ...guarantees, assumes: [...guarantees.assumes, 'death-is-final'] };
  }

  /** Says goodbye to the guard. Call it after belief has ended (L14). */
  async leave(): Promise<void> {
    await this.#link?.leave();
    this.#warning?.[Symbol.dispose]();
  }

  #join(how: Reach): void {
    const path = guardPath(guardVariable);
    const { options, state, exposed } = this.#parts;
    if (path === undefined || !options.campaign || this.#link !== undefined) return;
    const reach = this.#reach(how);
    this.#isGuarded = 'url' in reach;
    const { group, member, thresholdMs } = options;
    this.#link = new GuardLink({
      path,
      hello: { group, member, incarnation: state.incarnation, ...reach },
      checkMs: Math.min(Math.max(thresholdMs * checkShare, checkMs.min), checkMs.max),
      // A guard that cannot release for this member never considers it dead.
      exposed: (why) =>
        this.#isGuarded
          ? exposed(new LeadershipError('assumption-broken', exposure(why)))
          : this.#unguarded(why),
      unguarded: (why) => this.#unguarded(why),
    });
  }

  #reach(how: Reach): Reach {
    const { options, membership } = this.#parts;
    if (!options.guard) return { problem: elsewhere };
    return membership.died === undefined ? { problem: unsupported } : how;
  }

  #unguarded(why: string | undefined): void {
    this.#warning?.[Symbol.dispose]();
    this.#warning = undefined;
    if (why === undefined || !this.#parts.options.guard) return;
    const message = `no guard observes this member, so a crash is noticed only when its lease lapses: ${why}`;
    this.#warning = this.#parts.state.healthTracker.warning({
      code: 'misconfigured-backend',
      message,
    });
  }
}

const unsupported =
  'its backend does not support a guard yet, so a crash is noticed only when the lease lapses; use files, Kafka, DynamoDB, Kubernetes, Postgres, Redis or etcd';

const elsewhere =
  'its work runs in another process (option guard: false), which may outlive this one, so a crash is noticed only when the lease lapses';

function exposure(why: string): string {
  return `the guard may consider this member dead (rule L15): ${why}; close this source and open another`;
}

/** Returns whether the environment names a guard. */
export function isGuardNamed(): boolean {
  return guardPath(guardVariable) !== undefined;
}

/** Tells a source how its guard can reach the same group. Does nothing without a guard. */
export function connectGuard(source: LeadershipSource, how: Reach): void {
  guardedIn(source)?.connectGuard(how);
}

/**
 * Reports to a source that an incarnation of its group was proved dead, so that it releases for that
 * one (L16). Resolves once nothing is left to release, or once the source has closed.
 */
export async function reportDeath(source: LeadershipSource, incarnation: string): Promise<void> {
  await guardedIn(source)?.died?.(incarnation);
}

/**
 * Returns the incarnation that a source of another process names to `reportDeath` after the death of this
 * one, or `undefined` if the backend cannot release for a dead member.
 */
export function incarnationToReport(source: LeadershipSource): string | undefined {
  const guarded = guardedIn(source);
  return guarded?.died && guarded.incarnation;
}

function guardedIn(source: LeadershipSource): Guarded | undefined {
  return isGuarded(source) ? source[key] : undefined;
}

function isGuarded(
  source: LeadershipSource,
): source is LeadershipSource & { readonly [key]: Guarded } {
  return typeof source === 'object' && source !== null && key in source;
}
