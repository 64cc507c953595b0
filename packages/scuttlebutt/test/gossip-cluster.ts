import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import { spawnMember } from '@leadership/testkit/faults';
import { addressBookIn, startVoters, voters } from '@leadership/testkit/internal';
import { scuttlebuttLeadership } from '../src/index.ts';
import { putGarbage } from './support/garbage.ts';
import { type Fault, type MemberProxies, memberProxies } from './support/member-proxies.ts';

/** Groups of the suite are small. Few messages, because a hundred members share two cores. */
const sizes = { membersMax: 8, intervalMs: 170, fanout: 2 };

/**
 * Gossip over UDP and TCP: each group has three voters in another process, and the candidates that
 * the checks open. Some messages of the candidates in this process are lost or repeated.
 */
export async function gossipCluster(): Promise<Cluster> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-gossip-'));
  const module = new URL('./support/listed-member.mjs', import.meta.url);
  const voterProcess = await startVoters(directory, module);
  module.searchParams.set('book', directory);
  const proxies = new WeakMap<LeadershipSource, MemberProxies>();
  const hampers = (fault: Fault) => (source: LeadershipSource) => {
    const own = proxies.get(source);
    if (own === undefined) throw new Error(`${source.member} was not opened here`);
    return own.hamper(fault);
  };
  return {
    name: 'gossip',
    // Shorter with fewer members; S6 permits 1931 ms and more.
    thresholdMs: 2000,
    namesIdentifyVoters: true,
    open({ group, ...options }) {
      const own = memberProxies(options.member, addressBookIn(directory, group));
      const { transport } = own;
      const source = scuttlebuttLeadership({ ...options, group, voters, ...sizes, transport });
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
        url: `gossip://listed-member/${group}`,
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
    cut: hampers('cut'),
    storeFaults: {
      'writes-cut': hampers('writes-cut'),
      'reads-cut': hampers('reads-cut'),
      'hung-reads': hampers('reads-cut'),
      'lost-replies': hampers('reads-cut'),
      'late-writes': hampers('late-writes'),
    },
    cannot: {
      'duplicate-names': 'a name identifies one member',
      'stale-reads': 'a member reads no store, and a vote is only as old as its bound',
      'expired-credentials':
        'a member that cannot be authenticated is ignored like a stranger, and never led with what it has',
      'roll-back': 'the members keep their state in memory',
      'other-release': 'a member of another protocol version is not understood',
      'request-count': 'a message is no request',
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
