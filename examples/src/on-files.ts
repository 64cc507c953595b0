// The file backend without a URL: the processes of one host that share a directory.
import type { LeadershipSource } from '@leadership/core';
import { fileLeadership } from '@leadership/file';

/** One member of the group "billing", kept in `directory`; another member takes over some second after a crash. */
export function joinBilling(directory: string): LeadershipSource {
  return fileLeadership({ directory, group: 'billing', thresholdMs: 1000 });
}
