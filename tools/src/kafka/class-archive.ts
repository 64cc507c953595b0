// Java loads and verifies thousands of classes whenever a broker starts. A class data archive,
// created once per Java installation, saves most of that work. Java ignores an archive of another
// installation and then starts as slowly as without.
import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withFileLock } from '../backends/file-lock.ts';
import { javaVersionOutput } from '../backends/java.ts';
import { type Distribution, distributionIn } from './distribution.ts';
import { localCluster } from './local-cluster.ts';
import type { KafkaOptions } from './options.ts';

/**
 * Resolves with the jars in a directory and an archive of their classes. Starts a broker briefly to
 * create a missing archive.
 */
export async function archived(folder: string, options: KafkaOptions): Promise<Distribution> {
  const java = createHash('sha256')
    .update((await javaVersionOutput()) ?? '')
    .digest('hex')
    .slice(0, 8);
  const archive = join(folder, `classes-${java}.jsa`);
  if (!(await exists(archive))) {
    await withFileLock(`${archive}.lock`, async () => {
      if (!(await exists(archive))) await makeArchive(folder, archive, options);
    });
  }
  return distributionIn(folder, `-XX:SharedArchiveFile=${archive}`);
}

async function makeArchive(
  folder: string,
  archive: string,
  { version, signal }: KafkaOptions,
): Promise<void> {
  const aside = `${archive}.${randomUUID()}`;
  process.stderr.write(
    'leadership: creating a class archive once, for a faster start of brokers: some seconds …\n',
  );
  try {
    // Every Java program that exits in order writes the archive. The broker exits last, so its
    // archive remains.
    const distribution = await distributionIn(folder, `-XX:ArchiveClassesAtExit=${aside}`);
    await using cluster = await localCluster(
      { brokers: 1, proxied: false, ...(version && { version }), ...(signal && { signal }) },
      distribution,
    );
    await cluster.broker(1).stop();
    // Some Java versions create no archive. An empty file prevents another attempt at every start.
    await writeFile(aside, '', { flag: 'a' });
    await rename(aside, archive);
  } finally {
    await rm(aside, { force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
