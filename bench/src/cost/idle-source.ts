import type { LeadershipSource } from '@leadership/core';
import { fileLeadership } from '@leadership/file';
import { filter, firstValueFrom } from 'rxjs';
import { type IdleInput, idlePartitions } from './idle.ts';

/** Opens the source of an idle member. Resolves once it leads all partitions of its group. */
export async function idleSource({
  directory,
  thresholdMs,
}: Pick<IdleInput, 'directory' | 'thresholdMs'>): Promise<LeadershipSource> {
  const source = fileLeadership({
    directory,
    group: 'bench',
    member: 'idle',
    thresholdMs,
    partitions: idlePartitions,
  });
  await source.ready();
  await firstValueFrom(source.held$.pipe(filter((held) => held.size === idlePartitions)));
  return source;
}
