// The election of client-go on the same API server, with which the benchmarks compare. The program is
// built from bench/peers/client-go, with the modules of its go.sum.
import { spawnProgram } from '@leadership/testkit/faults';
import type { Peers } from '../backends/backend.ts';
import { goProgram } from './go-program.ts';

/** An API server, as a member reaches it. */
interface ApiServer {
  readonly url: string;
  /** The file of the issuer of its certificate. */
  readonly caFile: string;
  readonly token: string;
  readonly namespace: string;
}

/** How long a member that has resigned does not stand again, as in our protocol (L9). In T. */
const abstainsShare = 2;

/** Returns the election of client-go on this server, if its member can be built. */
export async function clientGo({ url, caFile, token, namespace }: ApiServer): Promise<Peers> {
  const built = await goProgram('client-go');
  if (built.kind === 'missing')
    return { peers: [], notes: [`the election of client-go is left out: ${built.why}`] };
  return {
    notes: [],
    peers: [
      {
        name: 'client-go 0.33.4 (leaderelection), a lease of T in whole seconds, the other times as by default in proportion to it',
        start: ({ group, member, thresholdMs }) =>
          spawnProgram([
            ...([built.path, '-server', url, '-ca', caFile, '-token', token] as const),
            ...['-namespace', namespace, '-lease', `client-go-${group}`, '-name', member],
            ...['-duration', `${Math.ceil(thresholdMs / 1000)}s`],
            ...['-rest', `${abstainsShare * thresholdMs}ms`],
          ]),
      },
    ],
  };
}
