import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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
/** How long the replica may take to synchronize. Milliseconds. */
const timeoutMs = 60_000;

/** Starts a replica of a server. Resolves once it has its data. */
export async function localReplica(primary: LocalRedis): Promise<LocalRedis> {
  const replica = await localRedis({ replicaof: `${primary.host} ${primary.port}` });
  await until(replica, 'INFO', 'replication', 'master_link_status:up');
  return replica;
}

/** Starts a primary, a replica and one Sentinel. Resolves once Sentinel knows the replica. */
export async function localSentinel(): Promise<LocalSentinel> {
  const started: LocalRedis[] = [];
  const end = async (): Promise<void> => {
    await Promise.all(started.map((server) => server[Symbol.asyncDispose]()));
  };
  try {
    const primary = await localRedis();
    started.push(primary);
    const replica = await localReplica(primary);
    started.push(replica);
    const sentinel = await startSentinel(primary);
    started.push(sentinel);
    await until(sentinel, 'INFO', 'sentinel', 'slaves=1');
    return { master, sentinel, primary, replica, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

function startSentinel({ host, port }: LocalRedis): Promise<LocalRedis> {
  // Sentinel knows few settings, and writes what it learns to its file.
  return localRedis(withoutData, async (directory) => {
    const file = join(directory, 'sentinel.conf');
    const lines = [
      `sentinel monitor ${master} ${host} ${port} 1`,
      `sentinel down-after-milliseconds ${master} ${downAfterMs}`,
      `sentinel failover-timeout ${master} 10000`,
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    return [file, '--sentinel'];
  });
}

async function until(
  server: LocalRedis,
  name: string,
  section: string,
  text: string,
): Promise<void> {
  for (const end = performance.now() + timeoutMs; performance.now() < end; ) {
    if ((await server.ask(name, section)).includes(text)) return;
    await pause(20);
  }
  throw new Error(`${server.name} does not report ${text}`);
}
