// Opens the source of a member process.
import { type LeadershipSource, openLeadership } from '@leadership/core';
import type { BackendModule } from '@leadership/core/adapter';
import { parseAddress } from '@leadership/core/internal';
import type { ProcessMemberOptions } from './process-member.ts';

/**
 * Opens the source of a member: with the backend of `module`, or with `openLeadership` without one.
 */
export async function openMember({
  url,
  module,
  options,
}: Omit<ProcessMemberOptions, 'work'>): Promise<LeadershipSource> {
  if (module === undefined) return openLeadership(url, options);
  const { backend } = (await import(module)) as { readonly backend: BackendModule };
  return backend.open(parseAddress(url, backend.parameters), options);
}
