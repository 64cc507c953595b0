import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import type { KafkaCluster } from '@leadership/tools/kafka';

/** One member's own ways to the brokers, so that it alone can be cut off. */
export interface OwnWays extends AsyncDisposable {
  /** The module that a member process opens to go by them. */
  readonly module: string;
  /** One to each broker, in their order. */
  readonly proxies: readonly TcpProxy[];
}

export async function ownWays({ bootstrap }: KafkaCluster): Promise<OwnWays> {
  const module = new URL('own-ways.mjs', import.meta.url);
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
