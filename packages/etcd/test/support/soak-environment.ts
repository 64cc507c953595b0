import { setTimeout as pause } from 'node:timers/promises';
import { type EtcdProcess, localEtcd, rolledBack } from '@leadership/tools/etcd';
import {
  type EnvironmentFault,
  memberProxies,
  networkFaults,
  type SoakEnvironment,
  serverFaults,
} from '@leadership/tools/soak';
import { administrator } from './admin.ts';
import { baseOf } from './editable-rows.ts';

const group = 'soak';

/** Three servers of etcd, to which every member has proxies of its own. */
export async function etcdEnvironment(members: readonly string[]): Promise<SoakEnvironment> {
  const cluster = await localEtcd({ servers: 3 });
  const { endpoints, servers, name } = cluster;
  const targets = endpoints.map((endpoint) => ({ port: Number(endpoint.split(':')[1]) }));
  const proxies = await memberProxies(members, targets);
  return {
    name,
    memberOptions(member) {
      const hosts = proxies.of(member).map(({ port }) => `127.0.0.1:${port}`);
      return { url: `etcd://${hosts.join(',')}/?group=${group}` };
    },
    memberFaults: networkFaults((member) => proxies.of(member)),
    environmentFaults: {
      ...serverFaults(servers),
      'all servers restored': restored(servers),
      async 'keys deleted'() {
        using admin = administrator({ endpoints });
        await admin.deleteAll(baseOf(group));
      },
    },
    async [Symbol.asyncDispose]() {
      await proxies[Symbol.asyncDispose]();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

/**
 * Starts all servers with their disks as they were up to 3 T ago. They keep the identity of their
 * cluster, so they stay away for T, as the documentation says.
 */
function restored(servers: readonly EtcdProcess[]): EnvironmentFault {
  return ({ rng, settings: { thresholdMs } }) =>
    rolledBack(servers, () => pause(rng.between(0, 3) * thresholdMs), thresholdMs);
}
