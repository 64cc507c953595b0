// etcd as the benchmarks of elections use it, beside etcd's own election API if Go can build its
// member.
import { hasLocalEtcd, localEtcd } from '@leadership/tools/etcd';
import { etcdElection, ttlSecondsMin } from '../peers/etcd-election.ts';
import type { Backend } from './backend.ts';
import { storeBackend } from './stores.ts';

const body = JSON.stringify({ key: 'dHJpcA==', value: 'dHJpcA==' });

/** One server of this host. */
export const etcd: Backend = storeBackend({
  name: 'etcd',
  roundTrip: 'a durable write of one key',
  isOffered: () => hasLocalEtcd(),
  async start() {
    const local = await localEtcd({ fsync: true });
    return { ...local, port: Number(local.endpoints[0]?.split(':').at(-1)) };
  },
  use: async ({ servers }, port) => {
    const host = `127.0.0.1:${port}`;
    const metrics = async (): Promise<string> => {
      const pages = servers.map(async ({ metricsUrl }) =>
        (await fetch(`${metricsUrl}/metrics`)).text(),
      );
      return (await Promise.all(pages)).join('\n');
    };
    return {
      place: 'etcd of this host, one server',
      address: (group) => ({ url: `etcd://${host}/?group=${group}` }),
      request: async () =>
        (await fetch(`http://${host}/v3/kv/put`, { method: 'POST', body })).text(),
      words: { reads: 'requests', writes: 'of them transactions' },
      async count() {
        const page = await metrics();
        const writes = received(page, 'Txn');
        return { reads: received(page, 'Range') + writes, writes };
      },
      async peers() {
        const { peers, notes } = await etcdElection([host], ttlSecondsMin);
        const requests = async (): Promise<number> => received(await metrics(), '[^"]+');
        return { peers: peers.map((peer) => ({ ...peer, requests })), notes };
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  },
});

/** Returns how many messages the servers have received for the methods that match. */
function received(metrics: string, method: string): number {
  const line = new RegExp(
    `^grpc_server_msg_received_total\\{.*grpc_method="${method}".*\\} (\\S+)$`,
    'gm',
  );
  return [...metrics.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
}
