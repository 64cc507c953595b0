// The election of etcd itself, with which the benchmarks compare.
import { startNativeChild } from '@leadership/tools/processes';
import { goProgram } from '../process/go-program.ts';
import type { Implementation } from '../rows/store.ts';

/** The shortest TTL that a server with default settings grants. Seconds. */
export const ttlSecondsMin = 2;
/** How long a member that has resigned does not stand again, as in our protocol (L9). In T. */
const abstainsShare = 2;

/**
 * Returns the election of etcd itself with this TTL in seconds; says why on stderr if its member
 * cannot be built.
 */
export async function electionsOn(
  endpoints: readonly string[],
  ttl: number,
): Promise<readonly Implementation[]> {
  const built = await goProgram('etcd-election');
  if (built.kind === 'missing') {
    process.stderr.write(`the election of etcd is left out: ${built.why}\n`);
    return [];
  }
  return [
    {
      name: `etcd's own election, client v3.5.21, TTL ${ttl} s${ttl === ttlSecondsMin ? ', the shortest that the server grants' : ''}`,
      start: ({ group, member, thresholdMs }) =>
        startNativeChild(built.path, [
          ...['-endpoints', endpoints.join(), '-prefix', `/${group}`, '-name', member],
          ...['-ttl', String(ttl), '-rest', `${abstainsShare * thresholdMs}ms`],
        ]),
    },
  ];
}
