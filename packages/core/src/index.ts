/**
 * Subscribe to who leads. {@link openLeadership} opens a {@link LeadershipSource} on whatever backend a URL names; a
 * {@link Role} of it tells, at the moment it is asked, whether this member is the one who does the work.
 *
 * Not promised: that work stops when a term ends (JavaScript cannot stop it; look at `term.signal`), and that a store which
 * takes writes without looking at `term.token` is safe from a member that was paused (T2).
 *
 * @packageDocumentation
 */
// Adapters augment `BackendOptions` in this module, which TypeScript only allows for what `export *` passes on.
export type * from './contract/backend-options.ts';
export type { LeadershipEvent, LeadershipEventKind } from './contract/event.ts';
export type { Assumption, Guarantees } from './contract/guarantees.ts';
export type { Health, Trouble } from './contract/health.ts';
export type { Leader, Metadata, Roster } from './contract/leader.ts';
export type { Leadership, LossReason } from './contract/leadership.ts';
export { LeadershipError, type LeadershipErrorCode } from './contract/leadership-error.ts';
export type { Logger } from './contract/logger.ts';
export type { Abortable, SourceOptions } from './contract/options.ts';
export type { LeadOptions, Role, Work } from './contract/role.ts';
export type { LeadershipSource } from './contract/source.ts';
export type { Term, TermJson } from './contract/term.ts';
export { allOf, anyOf } from './source/combined/combine.ts';
export { openLeadership } from './source/open-leadership.ts';
