// Prepares the directories of a new broker, as `kafka-storage format` does.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { madeOnce } from '../backends/made-once.ts';
import { command, type Distribution } from './distribution.ts';
import { formatProperties } from './properties.ts';
import { type BrokerPosition, brokerFolders, serverProperties } from './server-properties.ts';

/** Returns a new id of a cluster, or of a directory, in Kafka's format. */
export function clusterId(): string {
  return randomBytes(16).toString('base64url');
}

/** Parameters of a broker's storage. */
export interface Storage {
  readonly distribution: Distribution;
  readonly broker: Pick<BrokerPosition, 'id' | 'folder'>;
  /** The path of the broker's server.properties, which name the directories. */
  readonly settings: string;
  readonly cluster: string;
  /** Additional arguments of Kafka's tool, which add initial records to the cluster's metadata. */
  readonly seeds: readonly string[];
}

/**
 * Creates the directories of a broker, empty and for this cluster. Without initial records, what
 * Kafka's tool writes differs between brokers of one release in three ids only: it runs once, and
 * its result is copied. A run takes a second of processor time, half as much as a broker's start.
 */
export async function formatStorage(storage: Storage, signal?: AbortSignal): Promise<void> {
  if (storage.seeds.length > 0) return formatByTool(storage, signal);
  const { distribution, broker, cluster } = storage;
  const made = join(distribution.folder, 'storage');
  await madeOnce(made, (aside) => formatOne(distribution, aside, signal));
  const to = brokerFolders(broker.folder);
  for (const [index, from] of brokerFolders(made).entries())
    await copyFor({ cluster, node: broker.id }, from, to[index] ?? '');
}

/** Formats the storage of a broker that will never run. */
async function formatOne(
  distribution: Distribution,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await mkdir(folder);
  const settings = join(folder, 'server.properties');
  const broker = {
    id: 1,
    folder,
    ports: [{ client: 9092, advertised: 9092, direct: 9093, controller: 9094 }],
  };
  await writeFile(
    settings,
    formatProperties(serverProperties(broker, { security: {}, certificate: undefined }, {})),
  );
  await formatByTool({ distribution, settings, cluster: clusterId(), seeds: [] }, signal);
}

async function formatByTool(
  { distribution, settings, cluster, seeds }: Omit<Storage, 'broker'>,
  signal: AbortSignal | undefined,
): Promise<void> {
  // The arguments use `=`, because an id may begin with a dash.
  const args = ['format', `--cluster-id=${cluster}`, `--config=${settings}`, ...seeds];
  await promisify(execFile)(...command(distribution, 'kafka.tools.StorageTool', ...args), {
    signal,
  });
}

async function copyFor(
  { cluster, node }: { readonly cluster: string; readonly node: number },
  from: string,
  to: string,
): Promise<void> {
  await cp(from, to, { recursive: true });
  const file = join(to, 'meta.properties');
  const ids = { 'cluster.id': cluster, 'node.id': node, 'directory.id': clusterId() };
  const lines = (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line !== '' && !Object.keys(ids).some((name) => line.startsWith(`${name}=`)));
  await writeFile(file, `${lines.join('\n')}\n${formatProperties(ids)}`);
}
