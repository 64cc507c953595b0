import { expect, test } from 'vitest';
import { conformance, guaranteesOf, reasonToSkip } from '../../src/index.ts';
import { memoryCluster } from '../support/memory-cluster.ts';

test('a skipped check names each fault that the cluster lacks, and why the backend cannot have it', async () => {
  await using cluster = { ...memoryCluster(), cannot: { 'stale-reads': 'it has no replica' } };
  const guarantees = await guaranteesOf(cluster);
  const reasonOf = (promise: string): string | undefined => {
    const check = conformance.find((one) => one.id === promise);
    return check && reasonToSkip(check, cluster, guarantees);
  };
  expect(reasonOf('exclusion-under-stale-reads')).toBe(
    'memory cannot inject: stale-reads (it has no replica)',
  );
  expect(reasonOf('exclusion-when-reads-are-cut')).toBe(
    'memory cannot inject: reads-cut, writes-cut',
  );
  expect(reasonOf('exclusion-under-cuts')).toBeUndefined();
});
