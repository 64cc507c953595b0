// The election of Apache Curator on ZooKeeper, with which the benchmarks compare.
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startNativeChild } from '@leadership/tools/processes';
import { curatorProgram, startZooKeeper } from '@leadership/tools/zookeeper';
import type { ElectionMessage } from '../process/member-messages.ts';
import type { MemberProcess } from '../process/tracked-member.ts';
import type { Implementation } from '../rows/store.ts';

/** The elections on one server. Disposing ends the server. */
export interface Curator extends AsyncDisposable {
  readonly elections: readonly Implementation<MemberProcess>[];
}

const classes = fileURLToPath(
  new URL('../../../node_modules/.cache/leadership-bench/curator/', import.meta.url),
);
const source = fileURLToPath(new URL('../../peers/curator/CuratorMember.java', import.meta.url));

/** Starts a server; says why on stderr if the member cannot be built. */
export async function startCurator(sessionMs: number): Promise<Curator> {
  await mkdir(classes, { recursive: true });
  const built = await curatorProgram(source, classes);
  if (built.kind === 'missing') {
    process.stderr.write(`the election of Curator is left out: ${built.why}\n`);
    return { elections: [], [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  const server = await startZooKeeper();
  const [java, ...args] = built.command;
  const election: Implementation<MemberProcess> = {
    name: `Curator 5.7.1 (LeaderLatch), ZooKeeper 3.9.2 with one server, session ${sessionMs / 1000} s`,
    start: ({ group, member }) =>
      startNativeChild<ElectionMessage>(java, [
        ...[...args, server.address, `/${group}`, member, String(sessionMs)],
      ]),
  };
  return { elections: [election], [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}
