// etcd, beside the election of etcd itself, if Go can build its member.
import { localEtcd } from '@leadership/tools/etcd';
import { startChild } from '@leadership/tools/processes';
import { type MemberOptions, pathTo, type Store, type StoreOptions } from '../rows/store.ts';
import { electionsOn, ttlSecondsMin } from './election.ts';

/** The input of a member process. */
export interface MemberInput extends MemberOptions {
  readonly endpoints: readonly string[];
}

const program = new URL('../programs/etcd-member.js', import.meta.url);
const body = JSON.stringify({ key: 'dHJpcA==', value: 'dHJpcA==' });

/** Starts one server whose writes wait for the disk. */
export async function openEtcd({ delayMs }: StoreOptions = {}): Promise<Store> {
  const local = await localEtcd({ fsync: true });
  const [endpoint = ''] = local.endpoints;
  const way = await pathTo(Number(endpoint.split(':').at(-1)), delayMs);
  const address = `127.0.0.1:${way.port}`;
  const endpoints = [address];
  const metrics = async (): Promise<string> => {
    const pages = local.servers.map(({ metricsUrl }) => fetch(`${metricsUrl}/metrics`));
    return (await Promise.all((await Promise.all(pages)).map((page) => page.text()))).join('\n');
  };
  const elections = await electionsOn(endpoints, ttlSecondsMin);
  return {
    kind: 'etcd',
    name: 'etcd of this host, one server',
    ours: {
      name: 'etcd',
      start: (options) => startChild(program, { input: { ...options, endpoints } }),
    },
    peers: elections.map((election) => ({
      ...election,
      requests: async () => received(await metrics(), '[^"]+'),
    })),
    trip: 'a durable write of one key',
    roundTrip: async () =>
      (await fetch(`http://${address}/v3/kv/put`, { method: 'POST', body })).text(),
    words: { reads: 'reads', writes: 'transactions' },
    async requests() {
      const page = await metrics();
      return { reads: received(page, 'Range'), writes: received(page, 'Txn') };
    },
    async [Symbol.asyncDispose]() {
      await way[Symbol.asyncDispose]();
      await local[Symbol.asyncDispose]();
    },
  };
}

/** Returns how many messages the servers have received for the methods that match. */
function received(metrics: string, method: string): number {
  const line = new RegExp(
    `^grpc_server_msg_received_total\\{.*grpc_method="${method}".*\\} (\\S+)$`,
    'gm',
  );
  return [...metrics.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
}
