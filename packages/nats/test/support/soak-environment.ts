import { setTimeout as pause } from 'node:timers/promises';
import { localNats } from '@leadership/tools/nats';
import {
  memberProxies,
  networkFaults,
  type SoakEnvironment,
  serverFaults,
} from '@leadership/tools/soak';
import { administrator, bucketName } from './administrator.ts';

const group = 'soak';

/** Three servers of NATS, to which every member has proxies of its own. */
export async function natsEnvironment(members: readonly string[]): Promise<SoakEnvironment> {
  const nats = await localNats({ servers: 3 });
  const { addresses, servers } = nats;
  const proxies = await memberProxies(
    members,
    servers.map(({ port }) => ({ port })),
  );
  return {
    name: 'NATS of this host, 3 servers',
    memberOptions(member) {
      const hosts = proxies.of(member).map(({ port }) => `127.0.0.1:${port}`);
      return { url: `nats://${hosts.join(',')}/?group=${group}` };
    },
    memberFaults: networkFaults((member) => proxies.of(member)),
    environmentFaults: {
      ...serverFaults(servers),
      async 'leader of the bucket SIGKILL'({ rng, settings }) {
        await using admin = await administrator({ servers: [...addresses] });
        const info = await admin.call(`STREAM.INFO.KV_${bucketName}`).catch(() => undefined);
        const { leader } = (info?.['cluster'] ?? {}) as { readonly leader?: string };
        const server = servers.find(({ name }) => name === leader);
        await server?.kill();
        await pause(rng.between(0, 5) * settings.thresholdMs);
        await server?.start();
      },
      async 'two servers SIGSTOP, so no quorum'({ rng, settings }) {
        const two = rng.pick([servers.slice(0, 2), servers.slice(1)]);
        for (const server of two) server.pause();
        await pause(rng.between(0, 5) * settings.thresholdMs);
        for (const server of two) server.resume();
      },
      async 'keys deleted'() {
        await using admin = await administrator({ servers: [...addresses] });
        for (const [name] of await admin.rows(group).catch(() => []))
          await admin.put(group, name, null).catch(() => undefined);
      },
    },
    async [Symbol.asyncDispose]() {
      await proxies[Symbol.asyncDispose]();
      await nats[Symbol.asyncDispose]();
    },
  };
}
