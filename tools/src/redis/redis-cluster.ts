// Starts a Redis Cluster on this host, for tests.
import { eventually } from '@leadership/testkit/adapter';
import { assembled } from '../backends/assembled.ts';
import { allStarted } from '../backends/local-server.ts';
import { type LocalRedis, localRedis } from './local-redis.ts';

/** A Cluster of three primaries with one replica each. Disposing kills all servers. */
export interface LocalRedisCluster extends AsyncDisposable {
  /** The primaries first, then their replicas in the same order. */
  readonly servers: readonly LocalRedis[];
  /** Resolves with the server that is the primary of this key now. */
  primaryOf(key: string): Promise<LocalRedis>;
}

const slots = 16_384;
const primaries = 3;
/** A primary that does not answer for this time is replaced. Milliseconds. */
const nodeTimeoutMs = 1000;

/** Starts a Cluster on this host. Resolves once it serves every key. */
export function localRedisCluster(): Promise<LocalRedisCluster> {
  const timeout = String(nodeTimeoutMs);
  return assembled(async (keep) => {
    const servers = await allStarted(() =>
      Array.from({ length: 2 * primaries }, () =>
        localRedis({ 'cluster-enabled': 'yes', 'cluster-node-timeout': timeout }),
      ),
    );
    for (const server of servers) keep(server);
    await join(servers);
    return { servers, primaryOf: (key) => primaryOf(servers, key) };
  });
}

/** Resolves with the server that is the primary of this key now. */
async function primaryOf(servers: readonly LocalRedis[], key: string): Promise<LocalRedis> {
  for (const server of servers) {
    // A read of a key of another server is answered with MOVED, also by a replica.
    const isPrimary = await server.ask('HLEN', key).then(
      () => true,
      () => false,
    );
    if (isPrimary) return server;
  }
  throw new Error(`no server is the primary of ${key}`);
}

async function join(servers: readonly LocalRedis[]): Promise<void> {
  const [first] = servers;
  const ids: string[] = [];
  for (const [index, server] of servers.entries()) {
    if (index < primaries) await server.ask('CLUSTER', 'ADDSLOTS', ...slotsOf(index));
    if (first !== undefined && server !== first)
      await first.ask('CLUSTER', 'MEET', server.host, ...server.ports.map(String));
    ids.push(/[0-9a-f]{40}/.exec(await server.ask('CLUSTER', 'MYID'))?.[0] ?? '');
  }
  const isOk = (server: LocalRedis): Promise<boolean> =>
    server.ask('CLUSTER', 'INFO').then((info) => info.includes('cluster_state:ok'));
  await all(servers, isOk);
  for (const [index, server] of servers.entries()) {
    const id = ids[index - primaries];
    if (id === undefined) continue;
    await all([server], (replica) =>
      replica.ask('CLUSTER', 'REPLICATE', id).then(
        () => true,
        () => false,
      ),
    );
    await all([server], (replica) =>
      replica.ask('INFO', 'replication').then((info) => info.includes('master_link_status:up')),
    );
  }
  // A replica takes over only if the other primaries know it.
  await all(servers, (server) =>
    server
      .ask('CLUSTER', 'NODES')
      .then((nodes) => nodes.split('slave ').length === servers.length - primaries + 1),
  );
}

function slotsOf(index: number): readonly string[] {
  const [from, to] = [index, index + 1].map((part) => Math.floor((part * slots) / primaries));
  return Array.from({ length: (to ?? 0) - (from ?? 0) }, (_, slot) => String((from ?? 0) + slot));
}

/** Resolves once all servers fulfil the condition. */
async function all(
  servers: readonly LocalRedis[],
  condition: (server: LocalRedis) => Promise<boolean>,
): Promise<void> {
  await eventually('the servers of the Cluster agree', async () =>
    (await Promise.all(servers.map(condition))).every(Boolean),
  );
}
