// Kubernetes as the benchmarks of elections use it, beside the election of client-go if Go can build
// its member.
import { Agent } from 'node:https';
import { join } from 'node:path';
import {
  askKubernetes,
  hasKubernetes,
  type KubernetesRequest,
  localKubernetes,
} from '@leadership/tools/kubernetes';
import { clientGo } from '../peers/client-go.ts';
import type { Backend } from './backend.ts';
import { byFollowing, storeBackend } from './stores.ts';

const namespace = 'default';
const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const trip = { metadata: { name: 'trip' } };
const program = new URL('../programs/kubernetes-member.js', import.meta.url);

/** An API server of this host beside etcd, whose writes wait for the disk. */
export const kubernetes: Backend = storeBackend({
  name: 'kubernetes',
  roundTrip: 'a durable update of one Lease',
  isOffered: () => hasKubernetes(),
  async start() {
    // The server itself would renew a Lease of its own.
    const flags = { 'feature-gates': 'APIServerIdentity=false' };
    const local = await localKubernetes({ fsync: true, flags });
    return { ...local, port: Number(new URL(local.url).port) };
  },
  async use({ token, ca, server }, port) {
    // One connection, which is kept: a new one takes more than one round trip.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (asked: KubernetesRequest): Promise<string> =>
      askKubernetes({ port, ca, token, agent }, asked);
    const metrics = (): Promise<string> => send({ path: '/metrics' });
    const url = `https://127.0.0.1:${port}`;
    const caFile = join(server.directory, 'certificates', 'apiserver.crt');
    let object = JSON.parse(await send({ method: 'POST', path: leases, body: trip })) as object;
    return {
      place: 'kube-apiserver and etcd of this host, one server each',
      address: (group) => ({
        url: `kubernetes:${namespace}?group=${group}&server=${url}`,
        module: program.href,
        env: { NODE_EXTRA_CA_CERTS: caFile, KUBERNETES_TOKEN: token },
      }),
      async request() {
        const put = { method: 'PUT', path: `${leases}/trip`, body: object } as const;
        object = JSON.parse(await send(put)) as object;
      },
      words: { reads: 'lists', writes: 'changes' },
      async count() {
        const page = await metrics();
        return { reads: received(page, 'LIST'), writes: received(page, 'POST|PUT|DELETE') };
      },
      documented: byFollowing,
      async peers() {
        const { peers, notes } = await clientGo({ url, caFile, token, namespace });
        const requests = async (): Promise<number> => received(await metrics(), 'GET|POST|PUT');
        return { peers: peers.map((peer) => ({ ...peer, requests })), notes };
      },
      [Symbol.asyncDispose]: async () => agent.destroy(),
    };
  },
});

/** Returns how many requests for leases the server has answered, by the methods that match. */
function received(metrics: string, methods: string): number {
  const line = new RegExp(
    `^apiserver_request_total\\{.*resource="leases".*verb="(?:${methods})".*\\} (\\S+)$`,
    'gm',
  );
  return [...metrics.matchAll(line)].reduce((sum, [, count]) => sum + Number(count), 0);
}
