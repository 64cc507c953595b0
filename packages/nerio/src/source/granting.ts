// Whether this voter grants leases, as its host is told: whoever restarts members one after the other waits for it.
import type { Host } from '@leadership/core/backend';
import type { MemberState } from '../protocol/state.ts';
import { isVoter } from '../protocol/turn.ts';
import { isBarred } from '../protocol/vows.ts';

/** Tells it, where it is otherwise than `before`. */
export function tellGranting(host: Pick<Host, 'measured'>, before: MemberState | undefined, after: MemberState): void {
  const grants = isGranting(after);
  if (before === undefined || isGranting(before) !== grants) host.measured('granting', Number(grants));
}

/** Not while it has yet to find out what it granted before (N4, N16), nor once it is bound to grant no more (N13). */
function isGranting(state: MemberState): boolean {
  return isVoter(state) && state.learning === undefined && state.wedge === undefined && !isBarred(state);
}
