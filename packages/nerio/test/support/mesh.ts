import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
import { eventually } from './eventually.ts';
import { isGranting } from './wishes.mjs';

/** T of these members. Milliseconds. */
export const thresholdMs = 1000;

/** Members in processes of their own, each of which calls each by a way of its own. Disposing kills them. */
export interface Mesh extends AsyncDisposable {
  readonly names: readonly string[];
  /** A folder of theirs, which is gone with them. */
  readonly state: string;
  /** The process of that name that runs now. */
  member(name: string): ProcessMember;
  /** Starts it, also again, where it has ended. */
  start(name: string): Promise<ProcessMember>;
  /** Resolves once all of these grant leases: any minority of them may be lost from then on. */
  grant(names: readonly string[]): Promise<void>;
  /** The ways from any of these to any of those. */
  ways(from: readonly string[], to: readonly string[]): readonly TcpProxy[];
  /** What all of them logged, the dead ones too. */
  events(): readonly MemberEvent[];
  /** How long one that comes anew takes to reach a quorum: connections, greetings and their answers. Milliseconds. */
  tripMs(): Promise<number>;
  /** Who says that it leads, in a term that began after that instant. Rejects where nobody does. */
  leader(afterNs?: bigint): Promise<MemberEvent>;
}

/** What members of a mesh have in common. */
export interface MeshOptions {
  /** Goes into a member's URL. */
  readonly query?: (state: string, name: string) => string;
  /** So many of the first ones the group begins with. Default: all of them. */
  readonly founders?: number;
  /** Default 1. */
  readonly partitions?: number;
  /** What whoever leads does. Default: nothing. */
  readonly work?: (state: string) => MemberWork;
}

/** So many, not started yet. */
export async function meshOf(count: number, options: MeshOptions = {}): Promise<Mesh> {
  const { query = () => '', founders = count, partitions = 1, work = () => ({ kind: 'idle' }) } = options;
  const names = Array.from({ length: count }, (_, index) => `m${index + 1}`);
  const state = await mkdtemp(join(tmpdir(), 'leadership-nerio-'));
  const ports = await freePorts(count);
  const proxies = new Map<string, TcpProxy>();
  for (const from of names)
    for (const [index, to] of names.entries()) if (from !== to) proxies.set(`${from} ${to}`, await tcpProxy({ port: ports[index] ?? 0 }));
  const running = new Map<string, ProcessMember>();
  const all: ProcessMember[] = [];
  const moduleOf = (name: string): string => {
    const module = new URL('./proxied.mjs', import.meta.url);
    const ways = Object.fromEntries(
      names.map((other, index) => [other, `127.0.0.1:${proxies.get(`${name} ${other}`)?.port ?? ports[index]}`]),
    );
    module.searchParams.set('place', JSON.stringify({ listen: ports[names.indexOf(name)], ways, wishes: state }));
    return module.href;
  };
  const events = (): readonly MemberEvent[] => all.flatMap((member) => member.events).sort((a, b) => Number(a.atNs - b.atNs));
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
    grant: (some) => eventually(`${some.join()} grant leases`, () => some.every((name) => isGranting(state, name))),
    ways: (from, to) => from.flatMap((one) => to.flatMap((other) => proxies.get(`${one} ${other}`) ?? [])),
    async tripMs() {
      const addresses = Object.fromEntries(names.map((name, index) => [name, `127.0.0.1:${ports[index]}`]));
      const transport = tcpTransport({ listen: { host: '127.0.0.1', port: 0 }, addresses });
      const beganAt = performance.now();
      const options = { group: 'mesh', member: 'asker', members: names, partitions: 1, thresholdMs };
      await using asker = nerioLeadership({ ...options, joins: true, campaign: false, transport });
      await asker.ready();
      return performance.now() - beganAt;
    },
    leader: (afterNs = 0n) => Promise.any([...running.values()].map((member) => member.until(isAcquired(afterNs), 60_000))),
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
