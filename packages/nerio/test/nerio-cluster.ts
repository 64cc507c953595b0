import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import { spawnMember } from '@leadership/testkit/faults';
import { addressBookIn, startVoters, voters } from '@leadership/testkit/internal';
import { nerioLeadership } from '../src/index.ts';
import { putGarbage } from './support/garbage.ts';
import { members } from './support/listed-member.mjs';
import { type Fault, type NerioProxies, nerioProxies } from './support/nerio-proxies.ts';

/**
 * Nerio over TCP: each group has three voters in another process, and the candidates that the
 * checks open.
 */
export async function nerioCluster(): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
  const module = new URL('./support/listed-member.mjs', import.meta.url);
  const voterProcess = await startVoters(directory, module);
  const proxies = new WeakMap<LeadershipSource, NerioProxies>();
  const injects = (fault: Fault) => (source: LeadershipSource) => {
    const own = proxies.get(source);
    if (own === undefined) throw new Error(`${source.member} was not opened here`);
    return own.inject(fault);
  };
  module.searchParams.set('book', directory);
  return {
    name: 'nerio',
    // A renewal takes a few milliseconds, or several times that if many members share a process.
    thresholdMs: 1500,
    namesIdentifyVoters: true,
    announcesClaims: true,
    open({ group, ...options }) {
      const own = nerioProxies(options.member, addressBookIn(directory, group));
      const source = nerioLeadership({ ...options, group, members, transport: own.transport });
      proxies.set(source, own);
      voterProcess.enter(group, options);
      source.events$.subscribe({
        complete() {
          voterProcess.leave(group);
          void own[Symbol.asyncDispose]();
        },
      });
      return source;
    },
    async spawn({ group, ...options }) {
      const member = await spawnMember({
        ...options,
        url: `nerio://listed-member/${group}`,
        module: module.href,
      });
      voterProcess.enter(group, options.options);
      return Object.assign(member, {
        async [Symbol.asyncDispose]() {
          await member.kill();
          voterProcess.leave(group);
        },
      });
    },
    cut: injects('cut'),
    storeFaults: {
      'writes-cut': injects('writes-cut'),
      'reads-cut': injects('reads-cut'),
      'hung-reads': injects('hung-reads'),
      'lost-replies': injects('lost-replies'),
      'late-writes': injects('late-writes'),
    },
    cannot: {
      'duplicate-names': 'a name identifies one voter',
      'stale-reads': 'a member reads no store, and a voter answers from its own state',
      'expired-credentials':
        'a member that cannot be authenticated is refused like a stranger, and never led with what it has',
      'roll-back': 'these voters keep their state in memory',
      'other-release': 'a member refuses the connection of another protocol version',
      'request-count': 'a message is not a request',
    },
    loseQuorum: (group) => voterProcess.loseQuorum(group),
    deleteState: (group) => voterProcess.forget(group),
    putGarbage: (group) =>
      putGarbage(
        ['a', 'b', ...voters].map((member) => addressBookIn(directory, group).find(member)),
      ),
    async [Symbol.asyncDispose]() {
      await voterProcess[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
