// The file backend without a URL, for the processes of one host, which share a directory.
import type { LeadershipSource } from '@leadership/core';
import { fileLeadership } from '@leadership/file';

/**
 * Joins the group "billing" in `directory`. After a crash, another member takes over in about a
 * second.
 */
export function joinBilling(directory: string): LeadershipSource {
  return fileLeadership({ directory, group: 'billing', thresholdMs: 1000 });
}
