/**
 * Leader election among the members themselves: leases granted by quorums, edicts in the order of their creation, and no broker. Built
 * so far: the protocol (`@leadership/nerio/protocol`), which nothing drives over a network yet.
 *
 * @packageDocumentation
 */
export { compareEdicts, type EdictOrder, type EdictStamp, type GranterSample, type QuorumTimestamp } from './protocol/edict.ts';
export type { Epoch, EpochMember } from './protocol/electorate.ts';
export type { QuorumSpec } from './protocol/quorums.ts';
