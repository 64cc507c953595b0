// Rule numbers such as L3: docs/reference/rules.md.
/**
 * Leader election with observable leadership. {@link openLeadership} opens a
 * {@link LeadershipSource} on the backend that a URL names. A {@link Role} of the source reports
 * whether this member leads, and is exact at the moment of each call.
 *
 * Two things are not guaranteed. Work does not stop by itself when a term ends: JavaScript cannot
 * stop it, so the work must observe `term.signal`. A store that accepts writes without checking
 * `term.token` is not protected from a member that was paused (T2).
 *
 * @packageDocumentation
 */
// Adapters augment `BackendOptions` in this module; TypeScript allows that only through `export *`.

export { allOf, anyOf } from './combine/combine.ts';
export type * from './contract/backend-options.ts';
export type { LeadershipEvent, LeadershipEventKind } from './contract/event.ts';
export type { Assumption, Guarantees } from './contract/guarantees.ts';
export type { Health, Trouble } from './contract/health.ts';
export type { Leader, Metadata, Roster } from './contract/leader.ts';
export type { Leadership, LossReason } from './contract/leadership.ts';
export { LeadershipError, type LeadershipErrorCode } from './contract/leadership-error.ts';
export type { Logger } from './contract/logger.ts';
export type { GroupMember } from './contract/member.ts';
export type { Abortable, CampaignOptions, SourceOptions } from './contract/options.ts';
export type { LeadOptions, Role, Work } from './contract/role.ts';
export type { LeadershipSource } from './contract/source.ts';
export type { Term } from './contract/term.ts';
export type { TermEnd } from './contract/term-end.ts';
export { type LeadByUrlOptions, lead } from './source/lead-by-url.ts';
export { openLeadership } from './source/open-leadership.ts';
