// The faults of the connections between a member and its servers, which pass proxies of its own.
import { setTimeout as pause } from 'node:timers/promises';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import type { MemberFault, SoakContext, SoakEnvironment } from './environment.ts';

/** Proxies to all servers, of each member its own. Disposing closes them. */
export interface MemberProxies extends AsyncDisposable {
  /** Returns the proxies of a member, in the order of the servers. */
  of(member: string): readonly TcpProxy[];
}

/** Opens proxies to the servers for each member. A target may change its port later. */
export async function memberProxies(
  members: readonly string[],
  targets: readonly { readonly port: number }[],
): Promise<MemberProxies> {
  const open = (): Promise<readonly TcpProxy[]> => Promise.all(targets.map(tcpProxy));
  const all = new Map(
    await Promise.all(members.map(async (member) => [member, await open()] as const)),
  );
  return {
    of: (member) => all.get(member) ?? [],
    async [Symbol.asyncDispose]() {
      await Promise.all([...all.values()].flat().map((proxy) => proxy[Symbol.asyncDispose]()));
    },
  };
}

/**
 * Injects a fault into these connections, and removes it after up to `thresholds` T. Another fault of the
 * same connection goes on.
 */
export async function disturb<Proxy>(
  context: SoakContext,
  hit: readonly Proxy[],
  inject: (proxy: Proxy, context: SoakContext) => Disposable | undefined,
  thresholds: number,
): Promise<void> {
  const faults = hit.map((proxy) => inject(proxy, context));
  await pause(context.rng.between(0.2, thresholds) * context.settings.thresholdMs);
  for (const fault of faults) fault?.[Symbol.dispose]();
}

/**
 * Returns the faults of one member's connections: of all of them, or only of those to one server.
 * `proxiesOf` returns the proxies of a member, one to each server.
 */
export function networkFaults(
  proxiesOf: (member: string) => readonly TcpProxy[],
): SoakEnvironment['memberFaults'] {
  const by =
    (inject: (proxy: TcpProxy, context: SoakContext) => Disposable): MemberFault =>
    async (context, { name }) => {
      const proxies = proxiesOf(name);
      const hit = context.rng.pick([proxies, proxies, [context.rng.pick(proxies)]]);
      await disturb(context, hit, inject, 3);
    };
  return {
    'connections cut': by((proxy) => proxy.cut()),
    'connections half-open': by((proxy) => proxy.halfOpen()),
    'connections delayed by up to 2 T': by((proxy, { settings, rng }) =>
      proxy.delay(rng.between(0, 2) * settings.thresholdMs),
    ),
    'nothing received': by((proxy) => proxy.cutOneWay('to-client')),
    'nothing sent': by((proxy) => proxy.cutOneWay('to-server')),
  };
}
