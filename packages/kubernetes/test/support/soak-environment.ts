import { setTimeout as pause } from 'node:timers/promises';
import { rolledBack } from '@leadership/tools/etcd';
import { type KubectlProxy, kubectlProxy, localKubernetes } from '@leadership/tools/kubernetes';
import {
  type EnvironmentFault,
  memberProxies,
  networkFaults,
  type SoakEnvironment,
  serverFaults,
} from '@leadership/tools/soak';
import { namespace, putRow, rowsOf } from './administrator.ts';

const group = 'soak';

/** An API server and its etcd. Every member reaches it by a proxy of its own, through that of kubectl. */
export async function kubernetesEnvironment(members: readonly string[]): Promise<SoakEnvironment> {
  const kubernetes = await localKubernetes();
  const { name, server, etcd } = kubernetes;
  const kubectl = await kubectlProxy(kubernetes);
  const proxies = await memberProxies(members, [{ port: Number(new URL(kubectl.url).port) }]);
  return {
    name,
    memberOptions(member) {
      const [proxy] = proxies.of(member);
      const url = `http://127.0.0.1:${proxy?.port}`;
      return { url: `kubernetes:${namespace}?group=${group}&server=${url}` };
    },
    memberFaults: networkFaults((member) => proxies.of(member)),
    environmentFaults: {
      ...serverFaults([server], 'API server'),
      ...serverFaults([etcd], 'etcd'),
      'too many requests (429)': storm(kubectl),
      // As the documentation says, no API server runs while etcd is restored, and for T.
      async 'etcd restored'({ rng, settings: { thresholdMs } }) {
        await server.kill();
        const during = async (): Promise<void> => {
          await server.start();
          await pause(rng.between(0, 3) * thresholdMs);
          await server.kill();
        };
        await rolledBack([etcd], during, thresholdMs);
        await server.start();
      },
      async 'objects deleted'() {
        for (const row of await rowsOf(kubernetes, group))
          await putRow(kubernetes, group, row.name, null);
      },
    },
    async [Symbol.asyncDispose]() {
      await proxies[Symbol.asyncDispose]();
      await kubectl[Symbol.asyncDispose]();
      await kubernetes[Symbol.asyncDispose]();
    },
  };
}

/** Refuses every request for up to three T. Each answer asks for the shortest pause that there is. */
function storm(kubectl: KubectlProxy): EnvironmentFault {
  return async ({ rng, settings: { thresholdMs } }) => {
    using _ = kubectl.refuse(1);
    await pause(rng.between(0, 3) * thresholdMs);
  };
}
