/**
 * Tools of the packages of this repository that run on any backend: the command, the page, the
 * scheduler, the modules for frameworks and the testkit.
 *
 * They are not for applications and not for other adapters: nothing here is promised, and everything
 * may change in every minor version.
 *
 * @internal
 * @packageDocumentation
 */
export { commonParameters, parseAddress } from '../adapter/address.ts';
export { printable } from '../adapter/printable.ts';
export { defaults } from '../adapter/resolve-options.ts';
export { databaseIn } from '../adapter/server-options.ts';
export { publicTrouble } from '../contract/error-json.ts';
export { pinnedIn } from '../engine/pinned-values.ts';
export { isUnknownGroup } from '../engine/unknown-group.ts';
export { CallScopes } from '../process/call-scopes.ts';
export { writeHead } from '../process/write-head.ts';
export { isUnsure, listsMembers, observedLeaseMs } from '../source/observed-lease.ts';
export { publishedRoles } from '../source/published-roles.ts';
export { type RoleTools, roleToolsOf } from '../source/role-tools.ts';
