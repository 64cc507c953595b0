/**
 * Leader election between the processes of one host: a directory is the ledger. {@link fileLeadership} opens a source on it,
 * and so does `openLeadership('file:DIR?group=GROUP')`.
 *
 * Not promised: anything between hosts. A directory that several hosts share elects a leader on each of them at worst;
 * network file systems that can be recognised are refused, and so is FUSE, which may be one.
 *
 * @packageDocumentation
 */
export { backend, fileLeadership } from './file-leadership.ts';
export type { FileOptions } from './options.ts';
export type { FileUrlOptions } from './url-options.ts';
