// Starts Redis with a replica and Sentinel on this host, for tests.
import { eventually } from '@leadership/testkit/adapter';
import { assembled } from '../backends/assembled.ts';
import { type LocalRedis, localRedis, withoutData } from './local-redis.ts';

/** A primary, its replica, and a Sentinel that replaces the primary. Disposing kills all of them. */
export interface LocalSentinel extends AsyncDisposable {
  /** How Sentinel calls the primary. */
  readonly master: string;
  readonly sentinel: LocalRedis;
  readonly primary: LocalRedis;
  readonly replica: LocalRedis;
}

const master = 'leadership';
/** A primary that does not answer for this time is replaced. Milliseconds. */
const downAfterMs = 500;

/** Starts a replica of a server. Resolves once it has its data. */
export async function localReplica(primary: LocalRedis): Promise<LocalRedis> {
  const replica = await localRedis({ replicaof: `${primary.host} ${primary.port}` });
  await until(replica, 'INFO', 'replication', 'master_link_status:up');
  return replica;
}

/** Starts a primary, a replica and one Sentinel. Resolves once Sentinel knows the replica. */
export function localSentinel(): Promise<LocalSentinel> {
  return assembled(async (keep) => {
    const primary = keep(await localRedis());
    const replica = keep(await localReplica(primary));
    const sentinel = keep(await startSentinel(primary));
    await until(sentinel, 'INFO', 'sentinel', 'slaves=1');
    return { master, sentinel, primary, replica };
  });
}

function startSentinel({ host, port }: LocalRedis): Promise<LocalRedis> {
  // Sentinel knows few settings, and writes what it learns to its file.
  const lines = [
    `sentinel monitor ${master} ${host} ${port} 1`,
    `sentinel down-after-milliseconds ${master} ${downAfterMs}`,
    `sentinel failover-timeout ${master} 10000`,
  ];
  return localRedis(withoutData, { text: `${lines.join('\n')}\n`, args: ['--sentinel'] });
}

async function until(
  server: LocalRedis,
  name: string,
  section: string,
  text: string,
): Promise<void> {
  await eventually(`${server.name} reports ${text}`, async () =>
    (await server.ask(name, section)).includes(text),
  );
}
