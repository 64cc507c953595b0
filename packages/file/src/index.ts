// Rule numbers such as L3: docs/reference/rules.md.
/**
 * Leader election between the processes of one host. A directory is the store. {@link
 * fileLeadership} opens a source on it, and so does `openLeadership('file:DIR?group=GROUP')`.
 *
 * This backend guarantees nothing between hosts. If several hosts share a directory, each may elect
 * its own leader. Network file systems that can be recognized are rejected, and so is FUSE, which
 * may be one.
 *
 * @packageDocumentation
 */
export { backend, fileLeadership } from './file-leadership.ts';
export type { FileOptions } from './options.ts';
export type { FileUrlOptions } from './url-options.ts';
