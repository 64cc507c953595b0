// The same three benchmarks of each store of rows that a server keeps.
import { hasLocalEtcd } from '@leadership/tools/etcd';
import { hasLocalPostgres } from '@leadership/tools/postgres';
import { hasLocalRedis } from '@leadership/tools/redis';
import type { Benchmark } from '../benchmarks.ts';
import { openEtcd } from '../etcd/store.ts';
import { openPostgres } from '../postgres/store.ts';
import { openRedis } from '../redis/store.ts';
import { failover } from './fail-over.ts';
import { handover } from './hand-over.ts';
import { storeRequests } from './idle-requests.ts';

const stores = [
  { name: 'etcd', requests: 'requests', isOffered: hasLocalEtcd, open: openEtcd },
  { name: 'Postgres', requests: 'statements', isOffered: hasLocalPostgres, open: openPostgres },
  { name: 'Redis', requests: 'scripts', isOffered: hasLocalRedis, open: openRedis },
] as const;

/** The idle groups whose requests are counted at a store. */
const idleGroups = {
  sizes: [1, 8].flatMap((partitions) => [1, 3].map((members) => ({ partitions, members }))),
  thresholdMs: 1500,
  windowMs: 15_000,
} as const;

/** Returns the benchmarks `NAME-failover`, `NAME-handover` and `NAME-requests` of each store. */
export function storeBenchmarks(): readonly Benchmark[] {
  return stores.flatMap(({ name, requests, isOffered, open }) =>
    [
      {
        kind: 'failover',
        promise:
          'another member leads within 1.05 T + T/4 after a crash, in half of the runs within T',
        run: () => failover(open, { runs: 40, thresholdMs: 1000 }),
      },
      {
        kind: 'handover',
        promise: 'half of the orderly hand-overs take at most three round trips',
        run: () => handover(open, { runs: 20, thresholdMs: 1000 }),
      },
      {
        kind: 'requests',
        promise: `members send at most the documented number of ${requests}`,
        run: () => storeRequests(open, idleGroups),
      },
    ].map(({ kind, promise, run }) => ({
      isOffered,
      run,
      name: `${name.toLowerCase()}-${kind}`,
      promise: `on ${name}, ${promise}`,
    })),
  );
}
