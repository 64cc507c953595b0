import type { Membership } from '../contract/backend.ts';
import type { Guarantees } from '../contract/guarantees.ts';
import type { LeadershipErrorCode } from '../contract/leadership-error.ts';
import type { Role } from '../contract/role.ts';

/** The key of a role's tools. It is the same in every copy of this library in a process. */
export const roleTools: unique symbol = Symbol.for('@leadership/core/role-tools');

/** How long a fail-over takes where nothing limits it, in T. */
const unboundedThresholds = 10;

/** The functions that packages that run work for a role need beside its public interface. */
export interface RoleTools {
  readonly guarantees: Guarantees;
  /** The longest time without a leader after a crash, or an assumption. Milliseconds. */
  readonly failoverMs: number;
  /** Raises a trouble in the health of the source. Disposing the result ends it. */
  trouble(code: LeadershipErrorCode, message: string, cause?: unknown): Disposable;
  /** Makes the tokens of later terms exceed `token`, where the protocol can. */
  exceed(token: bigint): void;
  /** As in `Membership`. Absent if the group keeps no texts. */
  readonly replaceText: Membership['replaceText'];
}

/** Returns how long a fail-over takes, also if the guarantees do not limit it. Milliseconds. */
export function failoverMsOf({ failoverMsMax }: Guarantees, thresholdMs: number): number {
  return failoverMsMax === 'unbounded' ? unboundedThresholds * thresholdMs : failoverMsMax;
}

/** Returns the tools of a role, or `undefined` if this library did not create it. */
export function roleToolsOf(role: Role): RoleTools | undefined {
  return isEquipped(role) ? role[roleTools] : undefined;
}

function isEquipped(role: Role): role is Role & { readonly [roleTools]: RoleTools } {
  return typeof role === 'object' && role !== null && roleTools in role;
}
