import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import type { KafkaCluster } from '@leadership/tools/kafka';

/** One member's own proxies to the brokers, so that it alone can be cut off. */
export interface OwnProxies extends AsyncDisposable {
  /** The module that a member process opens to go by them. */
  readonly module: string;
  /** One to each broker, in their order. */
  readonly proxies: readonly TcpProxy[];
}

export async function ownProxies({ bootstrap }: KafkaCluster): Promise<OwnProxies> {
  const module = new URL('own-proxies.mjs', import.meta.url);
  const ports = bootstrap.map((address) => Number(address.split(':')[1]));
  const proxies = await Promise.all(ports.map((port) => tcpProxy({ port })));
  for (const [index, port] of ports.entries())
    module.searchParams.set(String(port), String(proxies[index]?.port));
  return {
    module: module.href,
    proxies,
    [Symbol.asyncDispose]: async () =>
      void (await Promise.all(proxies.map((proxy) => proxy[Symbol.asyncDispose]()))),
  };
}
