/**
 * The machine of leases by session, and the source over it, for the simulation. Nothing here is
 * promised.
 *
 * @packageDocumentation
 */

export { Balance } from '../engine/balance.ts';
export { leaseBackendUnder } from '../lease/backend.ts';
export { Due } from '../lease/due.ts';
export { newMember } from '../lease/new-member.ts';
export { placeHolder } from '../lease/owners.ts';
export type { LeaseRules } from '../lease/rules.ts';
export { leaseRules } from '../lease/rules.ts';
export type { MemberState } from '../lease/state.ts';
export { step } from '../lease/step.ts';
export { withSum } from '../lease/sum.ts';
export type { Input, LeaseConfig, Output, Step } from '../lease/types.ts';
export { batchText, copyTexts, resetText } from '../rows/log-entries.ts';
export type { Fetched, LogRecord, Settled } from '../rows/log-fold.ts';
export { LogFold } from '../rows/log-fold.ts';
export { type LogRules, logRules } from '../rows/log-rules.ts';
export { MemoryLog } from '../rows/memory-log.ts';
export { RowStore } from '../rows/row-store.ts';
export type { Exchange, Exchanged, NamedText, RowChange, Rows, RowsTraits } from '../rows/rows.ts';
export { Source } from '../source/source.ts';
