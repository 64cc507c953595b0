// Opens the idle member that the benchmarks of the file backend measure.
import type { LeadershipSource } from '@leadership/core';
import { fileLeadership } from '@leadership/file';
import { filter, firstValueFrom } from 'rxjs';

/**
 * The number of partitions of the idle member, which leads all of them. The default of every
 * backend.
 */
export const idlePartitions = 8;

/** Opens the source of an idle member. Resolves once it leads all partitions of its group. */
export async function idleSource(place: {
  readonly directory: string;
  readonly thresholdMs: number;
}): Promise<LeadershipSource> {
  const own = { group: 'bench', member: 'idle', partitions: idlePartitions };
  const { directory, thresholdMs } = place;
  const source = fileLeadership({ directory, thresholdMs, ...own });
  await source.ready();
  await firstValueFrom(source.held$.pipe(filter((held) => held.size === idlePartitions)));
  return source;
}
