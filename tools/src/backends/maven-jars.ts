// Jars from Maven, downloaded once per user. They are downloaded into a temporary directory that is
// then renamed, so that a directory with the final name is always complete. Only one process
// downloads at a time, because Maven's local repository does not support concurrent processes.
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from './cache-directory.ts';
import { withFileLock } from './file-lock.ts';

/** Artifacts to download, together with their runtime dependencies. */
export interface Jars {
  /** A name with the size of the download, for messages: `Kafka 4.1.1 (43 MB)`. */
  readonly title: string;
  /** The name of the directory in the cache. */
  readonly name: string;
  /** The artifacts, as `group:artifact:version`. */
  readonly artifacts: readonly string[];
}

/** Resolves with the directory of the jars, or `undefined` if they are not in the cache. */
async function cachedJars(jars: Jars): Promise<string | undefined> {
  const folder = folderOf(jars);
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() ? folder : undefined;
}

/**
 * Resolves with the directory of the jars. Downloads them if they are not in the cache, and reports
 * that on stderr. Rejects with the program to install if the download is impossible.
 */
export async function mavenJars(jars: Jars, signal?: AbortSignal): Promise<string> {
  const cached = await cachedJars(jars);
  if (cached) return cached;
  const folder = folderOf(jars);
  await mkdir(cacheDirectory(), { recursive: true });
  await withFileLock(`${folder}.lock`, async () => {
    if (!(await cachedJars(jars))) await fetchInto(folder, jars, signal);
  });
  return folder;
}

function folderOf(jars: Jars): string {
  const digest = createHash('sha256').update(pomOf(jars)).digest('hex').slice(0, 8);
  return join(cacheDirectory(), `${jars.name}-${digest}`);
}

/** The version is pinned, because Maven would otherwise look for the newest one. */
const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

async function fetchInto(
  folder: string,
  jars: Jars,
  signal: AbortSignal | undefined,
): Promise<void> {
  const aside = `${folder}.${randomUUID()}`;
  process.stderr.write(
    `leadership: downloading ${jars.title} once with Maven: about half a minute …\n`,
  );
  try {
    await mkdir(aside);
    const pom = join(aside, 'pom.xml');
    await writeFile(pom, pomOf(jars));
    const args = [
      '-q',
      '-B',
      '-f',
      pom,
      goal,
      `-DoutputDirectory=${aside}`,
      '-DincludeScope=runtime',
    ];
    await promisify(execFile)('mvn', args, { signal });
    await rename(aside, folder);
  } catch (error) {
    signal?.throwIfAborted();
    if (await cachedJars(jars)) return;
    throw new Error(`${jars.title} cannot be downloaded: ${complaint(error)}`, { cause: error });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

function complaint(error: unknown): string {
  const { code, stdout = '' } = error as { readonly code?: unknown; readonly stdout?: string };
  if (code === 'ENOENT') return 'Maven is missing: install it, so that `mvn` is on the path';
  // Maven writes errors to its standard output.
  return /\[ERROR\] (.*)/.exec(stdout)?.[1] ?? String(error);
}

function pomOf({ name, artifacts }: Jars): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, id, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${id}</artifactId><version>${version}</version></dependency>`;
  });
  return [
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>',
    `<groupId>leadership</groupId><artifactId>${name}</artifactId><version>1</version>`,
    `<dependencies>${dependencies.join('')}</dependencies></project>`,
  ].join('\n');
}
