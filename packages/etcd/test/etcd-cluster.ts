import type { Cluster } from '@leadership/testkit';
import {
  processCluster,
  proxiedMembers,
  rowFaults,
  type StoreProxy,
  storeProxy,
} from '@leadership/testkit/faults';
import { type EtcdOptions, startEtcd } from '@leadership/tools/etcd';
import { etcdOver } from '../src/etcd-leadership.ts';
import { type Gateway, httpGateway } from '../src/gateway.ts';
import { administrator } from './support/admin.ts';
import { baseOf, editableRows } from './support/editable-rows.ts';

/** Creates a cluster on servers. The requests of each member of this process can be hindered. */
export async function etcdCluster(settings: EtcdOptions = {}): Promise<Cluster> {
  const servers = await startEtcd(settings);
  const { endpoints } = servers;
  const admin = administrator({ endpoints });
  const rows = rowFaults(editableRows(admin));
  return processCluster({
    name: 'etcd',
    // A request takes some milliseconds, or tens of milliseconds on a busy machine.
    thresholdMs: 1000,
    url: (group) => `etcd://${endpoints.join(',')}/?group=${encodeURIComponent(group)}`,
    ...proxiedMembers((member) => {
      const proxy = storeProxy();
      const source = etcdOver({ endpoints, ...member }, (options, host) =>
        hindered(httpGateway(options, host), proxy),
      );
      return { source, proxy };
    }),
    announcesClaims: true,
    keepsPartitionsMax: true,
    cannot: {
      'lose-quorum': 'the voters of a group are the servers of etcd',
      'voter-names': 'two members may have one name',
    },
    ...rows,
    async putGarbage(group, partition) {
      await rows.putGarbage(group, partition);
      await admin.put(`${baseOf(group)}member#bytes`, '\ud800/w==');
    },
    deleteState: (group) => admin.deleteAll(baseOf(group)),
    async [Symbol.asyncDispose]() {
      admin[Symbol.dispose]();
      await servers[Symbol.asyncDispose]();
    },
  });
}

/** Returns a gateway whose requests meet the faults of the proxy. */
function hindered(gateway: Gateway, way: StoreProxy): Gateway {
  return {
    call(path, body, signal, only) {
      // A request that is held back reaches the servers after its member gave it up.
      const send = (): ReturnType<Gateway['call']> =>
        gateway.call(path, body, signal.aborted ? new AbortController().signal : signal, only);
      return path === '/v3/kv/txn' ? way.write(send) : way.read(path, send);
    },
    stream: (path, body, signal) =>
      way.stream((until) => gateway.stream(path, body, until), signal),
    ageMs: (only, signal) => gateway.ageMs(only, signal),
    close: () => gateway.close(),
  };
}
