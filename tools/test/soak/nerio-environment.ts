import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts, type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import type {
  EnvironmentFault,
  MemberFault,
  SoakContext,
  SoakEnvironment,
} from '../../src/soak/environment.ts';

/** A connection from one member to another, through a proxy. */
interface Link {
  readonly from: string;
  readonly to: string;
  readonly proxy: TcpProxy;
}

/**
 * Returns an environment in which members elect a leader among themselves over TCP. Each member
 * reaches each other member through a proxy, and writes its votes to disk.
 */
export async function nerioEnvironment(names: readonly string[]): Promise<SoakEnvironment> {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-soak-'));
  const ports = new Map(
    (await freePorts(names.length)).map((port, index) => [names[index] ?? '', port]),
  );
  const pairs = names.flatMap((from) =>
    names.filter((to) => to !== from).map((to) => ({ from, to })),
  );
  const links: readonly Link[] = await Promise.all(
    pairs.map(async ({ from, to }) => ({
      from,
      to,
      proxy: await tcpProxy({ port: ports.get(to) ?? 0 }),
    })),
  );
  return {
    name: 'nerio over TCP',
    memberOptions(member) {
      const addresses = links
        .filter(({ from }) => from === member)
        .map(({ to, proxy }) => [to, `127.0.0.1:${proxy.port}`]);
      const module = new URL('nerio-links.mjs', import.meta.url);
      module.searchParams.set(
        'config',
        JSON.stringify({ listen: ports.get(member), addresses: Object.fromEntries(addresses) }),
      );
      const state = encodeURIComponent(join(directory, member));
      return { url: `nerio://${names.join()}/soak?stateDirectory=${state}`, module: module.href };
    },
    memberFaults: memberFaultsOn(links),
    environmentFaults: environmentFaultsOn(links),
    environmentFaultEvery: 30,
    async [Symbol.asyncDispose]() {
      await Promise.all(links.map(({ proxy }) => proxy[Symbol.asyncDispose]()));
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Injects a fault into these links, and repairs them after up to `thresholds` T. */
async function disturb(
  context: SoakContext,
  hit: readonly Link[],
  inject: (proxy: TcpProxy) => void,
  thresholds: number,
): Promise<void> {
  for (const { proxy } of hit) inject(proxy);
  await pause(context.rng.between(0.2, thresholds) * context.settings.thresholdMs);
  for (const { proxy } of hit) proxy.mend();
}

/**
 * Faults of one member's links. A member sends only over the connections that it has opened itself.
 */
function memberFaultsOn(links: readonly Link[]): SoakEnvironment['memberFaults'] {
  const by =
    (
      isHit: (link: Link, member: string) => boolean,
      inject: (proxy: TcpProxy, context: SoakContext) => void,
    ): MemberFault =>
    (context, { name }) =>
      disturb(
        context,
        links.filter((link) => isHit(link, name)),
        (proxy) => inject(proxy, context),
        3,
      );
  const out = ({ from }: Link, member: string): boolean => from === member;
  const into = ({ to }: Link, member: string): boolean => to === member;
  const all = (link: Link, member: string): boolean => out(link, member) || into(link, member);
  return {
    'links cut': by(all, (proxy) => proxy.cut()),
    'links half-open': by(all, (proxy) => proxy.halfOpen()),
    'links delayed by up to T': by(all, (proxy, { settings, rng }) =>
      proxy.delay(rng.between(0, 1) * settings.thresholdMs),
    ),
    'nothing received': by(into, (proxy) => proxy.cutOneWay('to-server')),
    'nothing sent': by(out, (proxy) => proxy.cutOneWay('to-server')),
  };
}

function environmentFaultsOn(links: readonly Link[]): SoakEnvironment['environmentFaults'] {
  return {
    'network split in two': (context) => {
      const side = new Set(
        context.members.slots.filter(() => context.rng.between(0, 1) < 0.5).map(({ name }) => name),
      );
      const between = links.filter(({ from, to }) => side.has(from) !== side.has(to));
      return disturb(context, between, (proxy) => proxy.cut(), 5);
    },
    'network cut everywhere': (context) => disturb(context, links, (proxy) => proxy.cut(), 3),
    'all killed at once': allKilled,
  };
}

/** Kills all members without a fault of their own. Their votes are on disk and stay valid. */
const allKilled: EnvironmentFault = async ({ members, recorder }) => {
  const idle = members.slots.filter(({ busy }) => !busy);
  for (const slot of idle) slot.busy = true;
  const killedAtNs = process.hrtime.bigint();
  await Promise.all(idle.map(({ member }) => member.kill()));
  for (const { member } of idle) recorder.ended(member, killedAtNs);
  await Promise.all(idle.map((slot) => members.restart(slot)));
  for (const slot of idle) slot.busy = false;
};
