import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import {
  freePorts,
  type MemberEvent,
  type MemberWork,
  type ProcessMember,
  spawnMember,
  type TcpProxy,
  tcpProxy,
} from '@leadership/testkit/faults';
import { nerioLeadership, tcpTransport } from '../../src/index.ts';
import { isGranting } from './proposals.mjs';

/** T of these members. Milliseconds. */
export const thresholdMs = 1000;

/**
 * Members in processes of their own. Every connection passes a proxy of its own. Disposing kills
 * the processes.
 */
export interface Mesh extends AsyncDisposable {
  readonly names: readonly string[];
  /** A directory for the members; disposing removes it. */
  readonly state: string;
  /** The running process of that name. */
  member(name: string): ProcessMember;
  /** Starts the process, again if it has ended. */
  start(name: string): Promise<ProcessMember>;
  /** Resolves once all of these grant leases: from then on any minority of them may be lost. */
  grant(names: readonly string[]): Promise<void>;
  /** The proxies from any of `from` to any of `to`. */
  proxies(from: readonly string[], to: readonly string[]): readonly TcpProxy[];
  /** The log of all members, ended ones included. */
  events(): readonly MemberEvent[];
  /**
   * The time in which a new member reaches a quorum: connections, handshakes and their answers.
   * Milliseconds.
   */
  tripMs(): Promise<number>;
  /**
   * Resolves with a member that reports leadership in a term that began after that instant. Rejects
   * if there is none in time.
   */
  leader(afterNs?: bigint): Promise<MemberEvent>;
}

/** The common options of the members. */
export interface MeshOptions {
  /** The query part of a member's URL. */
  readonly query?: (state: string, name: string) => string;
  /** The number of first members of the group. Default: all of them. */
  readonly founders?: number;
  /** Default 1. */
  readonly partitions?: number;
  /** The work of a leader. Default: none. */
  readonly work?: (state: string) => MemberWork;
}

/** Creates that number of members, not started yet. */
export async function meshOf(count: number, options: MeshOptions = {}): Promise<Mesh> {
  const {
    query = () => '',
    founders = count,
    partitions = 1,
    work = () => ({ kind: 'idle' }),
  } = options;
  const names = Array.from({ length: count }, (_, index) => `m${index + 1}`);
  const state = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
  const ports = await freePorts(count);
  const proxies = new Map<string, TcpProxy>();
  for (const from of names)
    for (const [index, to] of names.entries())
      if (from !== to) proxies.set(`${from} ${to}`, await tcpProxy({ port: ports[index] ?? 0 }));
  const running = new Map<string, ProcessMember>();
  const all: ProcessMember[] = [];
  const moduleOf = (name: string): string => {
    const module = new URL('./proxied.mjs', import.meta.url);
    const addresses = Object.fromEntries(
      names.map((other, index) => [
        other,
        `127.0.0.1:${proxies.get(`${name} ${other}`)?.port ?? ports[index]}`,
      ]),
    );
    module.searchParams.set(
      'place',
      JSON.stringify({ listen: ports[names.indexOf(name)], addresses, proposals: state }),
    );
    return module.href;
  };
  const events = (): readonly MemberEvent[] =>
    all.flatMap((member) => member.events).sort((a, b) => Number(a.atNs - b.atNs));
  return {
    names,
    state,
    events,
    member(name) {
      const member = running.get(name);
      if (member === undefined) throw new Error(`${name} does not run`);
      return member;
    },
    async start(name) {
      const url = `nerio://${names.slice(0, founders).join()}/mesh${query(state, name)}`;
      const member = await spawnMember({
        url,
        module: moduleOf(name),
        options: { member: name, partitions, thresholdMs },
        work: work(state),
      });
      running.set(name, member);
      all.push(member);
      return member;
    },
    async grant(some) {
      await eventually(`${some.join()} grant leases`, () =>
        some.every((name) => isGranting(state, name)),
      );
    },
    proxies: (from, to) =>
      from.flatMap((one) => to.flatMap((other) => proxies.get(`${one} ${other}`) ?? [])),
    async tripMs() {
      const addresses = Object.fromEntries(
        names.map((name, index) => [name, `127.0.0.1:${ports[index]}`]),
      );
      const transport = tcpTransport({ listen: { host: '127.0.0.1', port: 0 }, addresses });
      const beganAt = performance.now();
      const options = {
        group: 'mesh',
        member: 'asker',
        members: names,
        partitions: 1,
        thresholdMs,
      };
      await using asker = nerioLeadership({ ...options, joins: true, campaign: false, transport });
      await asker.ready();
      return performance.now() - beganAt;
    },
    leader: (afterNs = 0n) =>
      Promise.any([...running.values()].map((member) => member.until(isAcquired(afterNs), 60_000))),
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((member) => member.kill()));
      await Promise.all([...proxies.values()].map((proxy) => proxy[Symbol.asyncDispose]()));
      await rm(state, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function isAcquired(afterNs: bigint): (event: MemberEvent) => boolean {
  return ({ kind, atNs }) => kind === 'acquired' && atNs > afterNs;
}
