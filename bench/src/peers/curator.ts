// The election of Apache Curator on ZooKeeper, with which the benchmarks compare.
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { spawnProgram } from '@leadership/testkit/faults';
import { curatorProgram, startZooKeeper } from '@leadership/tools/zookeeper';
import type { Peers } from '../backends/backend.ts';

const classes = fileURLToPath(
  new URL('../../../node_modules/.cache/leadership-bench/curator/', import.meta.url),
);
const source = fileURLToPath(new URL('../../peers/curator/CuratorMember.java', import.meta.url));

/** Starts a server for the election, if its member can be built. Disposing ends the server. */
export async function startCurator(sessionMs: number): Promise<Peers & AsyncDisposable> {
  await mkdir(classes, { recursive: true });
  const built = await curatorProgram(source, classes);
  if (built.kind === 'missing')
    return {
      peers: [],
      notes: [`the election of Curator is left out: ${built.why}`],
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  const server = await startZooKeeper();
  const [java, ...args] = built.command;
  return {
    notes: [],
    peers: [
      {
        name: `Curator 5.7.1 (LeaderLatch), ZooKeeper 3.9.2 with one server, session ${sessionMs / 1000} s`,
        start: ({ group, member }) =>
          spawnProgram([java, ...args, server.address, `/${group}`, member, String(sessionMs)]),
      },
    ],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
