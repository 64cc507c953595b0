import type { LeadershipSource } from '@leadership/core';
import { fileLeadership } from '@leadership/file';
import { filter, firstValueFrom } from 'rxjs';
import { type IdleInput, idlePartitions } from './idle.ts';

/** A member that leads all partitions of its group, and does nothing with them. */
export async function idleSource({ directory, thresholdMs }: Pick<IdleInput, 'directory' | 'thresholdMs'>): Promise<LeadershipSource> {
  const source = fileLeadership({ directory, group: 'bench', member: 'idle', thresholdMs, partitions: idlePartitions });
  await source.ready();
  await firstValueFrom(source.held$.pipe(filter((held) => held.size === idlePartitions)));
  return source;
}
