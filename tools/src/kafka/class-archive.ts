// Java reads and checks thousands of classes whenever a broker starts. An archive of them, made once per installation of Java,
// spares it much of that. Java ignores an archive that is not its own: it then starts as slowly as without.
import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { javaSays } from '../backends/java.ts';
import { takingTurns } from '../backends/taking-turns.ts';
import { type Distribution, distributionIn } from './distribution.ts';
import { localCluster } from './local-cluster.ts';
import type { KafkaOptions } from './options.ts';

/** The jars in a folder, with an archive of their classes beside them. Made where there is none, by a broker that lives for a moment. */
export async function archived(folder: string, options: KafkaOptions): Promise<Distribution> {
  const java = createHash('sha256')
    .update((await javaSays()) ?? '')
    .digest('hex')
    .slice(0, 8);
  const archive = join(folder, `classes-${java}.jsa`);
  if (!(await exists(archive))) {
    await takingTurns(`${archive}.lock`, async () => {
      if (!(await exists(archive))) await makeArchive(folder, archive, options);
    });
  }
  return distributionIn(folder, `-XX:SharedArchiveFile=${archive}`);
}

async function makeArchive(folder: string, archive: string, { version, signal }: KafkaOptions): Promise<void> {
  const aside = `${archive}.${randomUUID()}`;
  process.stderr.write('leadership: making brokers start faster with this Java, once: some seconds …\n');
  try {
    // Of every program that ends in order the last one wins: that is the broker.
    const distribution = await distributionIn(folder, `-XX:ArchiveClassesAtExit=${aside}`);
    await using cluster = await localCluster(
      { brokers: 1, proxied: false, ...(version && { version }), ...(signal && { signal }) },
      distribution,
    );
    await cluster.broker(1).stop();
    // Some Java made none. Then there is an empty one, so that it is not tried again each time.
    await writeFile(aside, '', { flag: 'a' });
    await rename(aside, archive);
  } finally {
    await rm(aside, { force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
