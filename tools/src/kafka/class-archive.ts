// Makes the brokers of tests start faster. Java loads and verifies thousands of classes whenever a
// broker starts. A class data archive, created once per Java installation, saves most of that work.
// Java ignores an archive of another installation and then starts as slowly as without.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { javaVersionOutput } from '../backends/java.ts';
import { madeOnce } from '../backends/made-once.ts';
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
  await madeOnce(archive, (aside) => makeArchive(folder, aside, options));
  return distributionIn(folder, `-XX:SharedArchiveFile=${archive}`);
}

async function makeArchive(
  folder: string,
  archive: string,
  { version, signal }: KafkaOptions,
): Promise<void> {
  process.stderr.write(
    'leadership: creating a class archive once, for a faster start of brokers: some seconds …\n',
  );
  // Every Java program that exits in order writes the archive. The broker exits last, so its archive
  // remains.
  const distribution = await distributionIn(folder, `-XX:ArchiveClassesAtExit=${archive}`);
  await using cluster = await localCluster(
    { brokers: 1, proxied: false, ...(version && { version }), ...(signal && { signal }) },
    distribution,
  );
  await cluster.broker(1).stop();
  // Some Java versions create no archive. An empty file prevents another attempt at every start.
  await writeFile(archive, '', { flag: 'a' });
}
