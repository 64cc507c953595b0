// The connections between members that elect a leader among themselves, each through a proxy of its
// own, and their faults. A member sends only over the connections that it has opened itself.
import { freePorts, type TcpProxy } from '@leadership/testkit/faults';
import type { EnvironmentFault, MemberFault, SoakContext, SoakEnvironment } from './environment.ts';
import { disturb } from './network-faults.ts';

/** A proxy that injects faults into one connection. */
type LinkProxy = Pick<TcpProxy, 'port' | 'cut' | 'halfOpen' | 'delay'> &
  AsyncDisposable & { cutOneWay(direction: 'to-server'): Disposable };

/** A connection from one member to another, through a proxy. */
interface Link<Proxy extends LinkProxy = LinkProxy> {
  readonly from: string;
  readonly to: string;
  readonly proxy: Proxy;
}

/** Begins a fault of one connection, or none. */
type Inject<Proxy> = (proxy: Proxy, context: SoakContext) => Disposable | undefined;

/** Loses everything that is sent over this connection. */
export const oneWay = (proxy: LinkProxy): Disposable => proxy.cutOneWay('to-server');
/** Loses all messages. */
export const cut = (proxy: LinkProxy): Disposable => proxy.cut();

/** The connections between all members. Disposing closes them. */
export interface Links<Proxy extends LinkProxy>
  extends Pick<SoakEnvironment, 'memberFaults' | 'environmentFaults'>,
    AsyncDisposable {
  /** Returns the port on which a member listens, and the addresses at which it reaches the others. */
  of(member: string): {
    readonly listen: number;
    readonly addresses: Readonly<Record<string, string>>;
  };
  /** Returns a fault of connections among some members. `inject` begins that of one of them. */
  among(members: readonly string[], inject: Inject<Proxy>): EnvironmentFault;
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
    pairs.map(async (pair) => ({ ...pair, proxy: await open({ port: ports.get(pair.to) ?? 0 }) })),
  );
  return {
    of(member) {
      const own = links.filter(({ from }) => from === member);
      const addresses = own.map(({ to, proxy }) => [to, `127.0.0.1:${proxy.port}`]);
      return { listen: ports.get(member) ?? 0, addresses: Object.fromEntries(addresses) };
    },
    among(members, inject) {
      const hit = links.filter(({ from, to }) => members.includes(from) && members.includes(to));
      return (context) => disturb(context, proxiesOf(hit), inject, 3);
    },
    memberFaults: memberFaultsOn(links),
    environmentFaults: environmentFaultsOn(links),
    async [Symbol.asyncDispose]() {
      await Promise.all(links.map(({ proxy }) => proxy[Symbol.asyncDispose]()));
    },
  };
}

function proxiesOf<Proxy extends LinkProxy>(links: readonly Link<Proxy>[]): readonly Proxy[] {
  return links.map(({ proxy }) => proxy);
}

function memberFaultsOn(links: readonly Link[]): SoakEnvironment['memberFaults'] {
  const by =
    (isHit: (link: Link, member: string) => boolean, inject: Inject<LinkProxy>): MemberFault =>
    (context, { name }) => {
      const hit = links.filter((link) => isHit(link, name));
      return disturb(context, proxiesOf(hit), inject, 3);
    };
  const out = ({ from }: Link, member: string): boolean => from === member;
  const into = ({ to }: Link, member: string): boolean => to === member;
  const all = (link: Link, member: string): boolean => out(link, member) || into(link, member);
  return {
    'links cut': by(all, cut),
    'links half-open': by(all, (proxy) => proxy.halfOpen()),
    'links delayed by up to T': by(all, (proxy, { settings, rng }) =>
      proxy.delay(rng.between(0, 1) * settings.thresholdMs),
    ),
    'nothing received': by(into, oneWay),
    'nothing sent': by(out, oneWay),
  };
}

function environmentFaultsOn(links: readonly Link[]): SoakEnvironment['environmentFaults'] {
  return {
    'network split in two': (context) => {
      const side = new Set(
        context.members.slots.filter(() => context.rng.between(0, 1) < 0.5).map(({ name }) => name),
      );
      const between = links.filter(({ from, to }) => side.has(from) !== side.has(to));
      return disturb(context, proxiesOf(between), cut, 5);
    },
    'network cut everywhere': (context) => disturb(context, proxiesOf(links), cut, 3),
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
