import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LeadershipSource } from '@leadership/core';
import type { Cluster } from '@leadership/testkit';
import { spawnMember } from '@leadership/testkit/faults';
import { addressBookIn, startVoters } from '@leadership/testkit/internal';
import { scuttlebuttLeadership } from '../src/index.ts';
import { putGarbage } from './support/garbage.ts';
import { type Fault, type GossipProxies, gossipProxies } from './support/gossip-proxies.ts';

/** Few messages, because a hundred members share two cores. */
const rounds = { intervalMs: 170, fanout: 2 };

/** The sizes of the groups of a cluster. */
export interface GossipSizes {
  readonly voters: number;
  /** Members that neither vote nor stand. */
  readonly observers: number;
  /** S6: with more members news need longer to cross the group. */
  readonly thresholdMs: number;
}

/** Groups of the suite are small. S6 permits 1931 ms and more. */
const usual: GossipSizes = { voters: 3, observers: 0, thresholdMs: 2000 };
/** Checks open at most this number of members. */
const opened = 5;

/**
 * Gossip over UDP and TCP: each group has its voters and observers in another process, and the
 * candidates that the checks open. Some messages of the candidates in this process are lost or
 * repeated.
 */
export async function gossipCluster(sizes: GossipSizes = usual): Promise<Cluster> {
  const others = Array.from({ length: sizes.voters + sizes.observers }, (_, n) => `v${n + 1}`);
  const voters = others.slice(0, sizes.voters);
  const group = { voters, membersMax: others.length + opened, ...rounds };
  const directory = await mkdtemp(join(tmpdir(), 'leadership-gossip-'));
  const module = new URL('./support/listed-member.mjs', import.meta.url);
  module.searchParams.set('options', JSON.stringify(group));
  const voterProcess = await startVoters(directory, module, others);
  module.searchParams.set('book', directory);
  const proxies = new WeakMap<LeadershipSource, GossipProxies>();
  const hampers = (fault: Fault) => (source: LeadershipSource) => {
    const own = proxies.get(source);
    if (own === undefined) throw new Error(`${source.member} was not opened here`);
    return own.inject(fault);
  };
  return {
    name: 'gossip',
    thresholdMs: sizes.thresholdMs,
    namesIdentifyVoters: true,
    open(options) {
      const own = gossipProxies(options.member, addressBookIn(directory, options.group));
      const { transport } = own;
      const source = scuttlebuttLeadership({ ...options, ...group, transport });
      proxies.set(source, own);
      voterProcess.enter(options.group, options);
      source.events$.subscribe({
        complete() {
          voterProcess.leave(options.group);
          void own[Symbol.asyncDispose]();
        },
      });
      return source;
    },
    async spawn({ group: name, ...options }) {
      const member = await spawnMember({
        ...options,
        url: `gossip://listed-member/${name}`,
        module: module.href,
      });
      voterProcess.enter(name, options.options);
      return Object.assign(member, {
        async [Symbol.asyncDispose]() {
          await member.kill();
          voterProcess.leave(name);
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
      announcements: 'news crosses the group in rounds of gossip',
      'duplicate-names': 'a name identifies one member',
      'stale-reads': 'a member reads no store, and a vote is only as old as its bound',
      'expired-credentials':
        'a member that cannot be authenticated is ignored like a stranger, and never led with what it has',
      'roll-back': 'the members keep their state in memory',
      'other-release': 'a member of another protocol version is not understood',
      'request-count': 'a message is no request',
    },
    loseQuorum: (name) => voterProcess.loseQuorum(name),
    deleteState: (name) => voterProcess.forget(name),
    putGarbage: (name) =>
      putGarbage(
        ['a', 'b', ...voters].map((member) => addressBookIn(directory, name).find(member)),
      ),
    async [Symbol.asyncDispose]() {
      await voterProcess[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
