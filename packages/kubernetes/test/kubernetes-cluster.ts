import type { Cluster } from '@leadership/testkit';
import { processCluster, proxiedMembers, rowFaults, storeProxy } from '@leadership/testkit/faults';
import { kubectlProxy, localKubernetes } from '@leadership/tools/kubernetes';
import { apiOf } from '../src/api.ts';
import { kubernetesOver } from '../src/kubernetes-leadership.ts';
import { editableRows, namespace, putForeign, putRow, rowsOf } from './support/administrator.ts';
import { hindered } from './support/hindered.ts';

/** Creates a cluster on a server. The requests of each member of this process can be hindered. */
export async function kubernetesCluster(): Promise<Cluster> {
  const kubernetes = await localKubernetes();
  const { url: direct, ca, token } = kubernetes;
  const rows = rowFaults(editableRows(kubernetes));
  const kubectl = await kubectlProxy(kubernetes);
  return processCluster({
    name: 'kubernetes',
    // A request takes some milliseconds, or tens of milliseconds on a busy machine.
    thresholdMs: 1500,
    url: (group) =>
      `kubernetes:${namespace}?group=${encodeURIComponent(group)}&server=${kubectl.url}`,
    ...proxiedMembers((member) => {
      const proxy = storeProxy();
      const connection = { namespace, server: direct, tls: { ca }, token };
      const source = kubernetesOver({ ...connection, ...member }, (options, host) =>
        hindered(apiOf(options, host), proxy),
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
      await putForeign(kubernetes, group);
    },
    async deleteState(group) {
      for (const { name } of await rowsOf(kubernetes, group))
        await putRow(kubernetes, group, name, null);
    },
    async [Symbol.asyncDispose]() {
      await kubectl[Symbol.asyncDispose]();
      await kubernetes[Symbol.asyncDispose]();
    },
  });
}
