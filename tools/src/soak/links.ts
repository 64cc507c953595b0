// The connections between members that elect a leader among themselves, each through a proxy of its
// own, and their faults. A member sends only over the connections that it has opened itself.
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@leadership/testkit/faults';
import type { EnvironmentFault, MemberFault, SoakContext, SoakEnvironment } from './environment.ts';
import {
  cut,
  delayed,
  halfOpen,
  type LinkFault,
  LinkFaults,
  type LinkProxy,
  oneWay,
} from './link-faults.ts';

/** A connection from one member to another, through a proxy. */
interface Link<Proxy extends LinkProxy = LinkProxy> {
  readonly from: string;
  readonly to: string;
  readonly proxy: Proxy;
  readonly faults: Pick<LinkFaults<Proxy>, 'begin'>;
}

/** Returns the fault of one connection; `undefined` for none. */
type DrawFault<Proxy> = (context: SoakContext) => LinkFault<Proxy> | undefined;

/** The connections between all members. Disposing closes them. */
export interface Links<Proxy extends LinkProxy>
  extends Pick<SoakEnvironment, 'memberFaults' | 'environmentFaults'>,
    AsyncDisposable {
  /** Returns the port on which a member listens, and the addresses at which it reaches the others. */
  of(member: string): {
    readonly listen: number;
    readonly addresses: Readonly<Record<string, string>>;
  };
  /** Returns a fault of connections among some members. `draw` returns that of one of them. */
  among(members: readonly string[], draw: DrawFault<Proxy>): EnvironmentFault;
}

/** Opens a proxy from each member to each other one. */
export async function openLinks<Proxy extends LinkProxy>(
  names: readonly string[],
  open: (target: { readonly port: number }) => Promise<Proxy>,
): Promise<Links<Proxy>> {
  const free = await freePorts(names.length);
  const ports = new Map(names.map((name, index) => [name, free[index] ?? 0]));
  const pairs = names.flatMap((from) =>
    names.filter((to) => to !== from).map((to) => ({ from, to })),
  );
  const links: readonly Link<Proxy>[] = await Promise.all(
    pairs.map(async (pair) => {
      const proxy = await open({ port: ports.get(pair.to) ?? 0 });
      return { ...pair, proxy, faults: new LinkFaults(proxy) };
    }),
  );
  return {
    of(member) {
      const own = links.filter(({ from }) => from === member);
      const addresses = own.map(({ to, proxy }) => [to, `127.0.0.1:${proxy.port}`]);
      return { listen: ports.get(member) ?? 0, addresses: Object.fromEntries(addresses) };
    },
    among(members, draw) {
      const hit = links.filter(({ from, to }) => members.includes(from) && members.includes(to));
      return (context) => disturb(context, hit, draw, 3);
    },
    memberFaults: memberFaultsOn(links),
    environmentFaults: environmentFaultsOn(links),
    async [Symbol.asyncDispose]() {
      await Promise.all(links.map(({ proxy }) => proxy[Symbol.asyncDispose]()));
    },
  };
}

/**
 * Injects a fault into these links, and removes it after up to `thresholds` T. Another fault of the
 * same link goes on.
 */
async function disturb<Proxy extends LinkProxy>(
  context: SoakContext,
  hit: readonly Link<Proxy>[],
  draw: DrawFault<Proxy>,
  thresholds: number,
): Promise<void> {
  const ends = hit.map(({ faults }) => {
    const fault = draw(context);
    return fault && faults.begin(fault);
  });
  await pause(context.rng.between(0.2, thresholds) * context.settings.thresholdMs);
  for (const end of ends) end?.();
}

function memberFaultsOn(links: readonly Link[]): SoakEnvironment['memberFaults'] {
  const by =
    (isHit: (link: Link, member: string) => boolean, draw: DrawFault<LinkProxy>): MemberFault =>
    (context, { name }) =>
      disturb(
        context,
        links.filter((link) => isHit(link, name)),
        draw,
        3,
      );
  const out = ({ from }: Link, member: string): boolean => from === member;
  const into = ({ to }: Link, member: string): boolean => to === member;
  const all = (link: Link, member: string): boolean => out(link, member) || into(link, member);
  return {
    'links cut': by(all, () => cut),
    'links half-open': by(all, () => halfOpen),
    'links delayed by up to T': by(all, ({ settings, rng }) =>
      delayed(rng.between(0, 1) * settings.thresholdMs),
    ),
    'nothing received': by(into, () => oneWay),
    'nothing sent': by(out, () => oneWay),
  };
}

function environmentFaultsOn(links: readonly Link[]): SoakEnvironment['environmentFaults'] {
  return {
    'network split in two': (context) => {
      const side = new Set(
        context.members.slots.filter(() => context.rng.between(0, 1) < 0.5).map(({ name }) => name),
      );
      const between = links.filter(({ from, to }) => side.has(from) !== side.has(to));
      return disturb(context, between, () => cut, 5);
    },
    'network cut everywhere': (context) => disturb(context, links, () => cut, 3),
    'all killed at once': allKilled,
  };
}

/** Kills all members without a fault of their own, and starts them again. */
const allKilled: EnvironmentFault = async ({ members, recorder }) => {
  const idle = members.slots.filter(({ busy }) => !busy);
  for (const slot of idle) slot.busy = true;
  const killedAtNs = process.hrtime.bigint();
  await Promise.all(idle.map(({ member }) => member.kill()));
  for (const { member } of idle) recorder.ended(member, killedAtNs);
  await Promise.all(idle.map((slot) => members.restart(slot)));
  for (const slot of idle) slot.busy = false;
};
