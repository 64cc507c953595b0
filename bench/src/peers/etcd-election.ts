// The election of etcd itself, with which the benchmarks compare.
import { spawnProgram } from '@leadership/testkit/faults';
import type { Peers } from '../backends/backend.ts';
import { goProgram } from './go-program.ts';

/** The shortest TTL that a server with default settings grants. Seconds. */
export const ttlSecondsMin = 2;
/** How long a member that has resigned does not stand again, as in our protocol (L9). In T. */
const abstainsShare = 2;

/** Returns the election of etcd itself with this TTL in seconds, if its member can be built. */
export async function etcdElection(endpoints: readonly string[], ttl: number): Promise<Peers> {
  const built = await goProgram('etcd-election');
  if (built.kind === 'missing')
    return { peers: [], notes: [`the election of etcd is left out: ${built.why}`] };
  const shortest = ttl === ttlSecondsMin ? ', the shortest that the server grants' : '';
  return {
    notes: [],
    peers: [
      {
        name: `etcd's own election, client v3.5.21, TTL ${ttl} s${shortest}`,
        start: ({ group, member, thresholdMs }) =>
          spawnProgram([
            ...([built.path, '-endpoints', endpoints.join()] as const),
            ...['-prefix', `/${group}`, '-name', member],
            ...['-ttl', String(ttl), '-rest', `${abstainsShare * thresholdMs}ms`],
          ]),
      },
    ],
  };
}
