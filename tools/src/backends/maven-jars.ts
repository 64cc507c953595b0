// Jars from Maven, fetched once per user. They are fetched aside and renamed into place, so that a folder with the right name
// is whole; and by one process at a time, as Maven's own store was not made for several.
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from './cache-folder.ts';
import { takingTurns } from './taking-turns.ts';

/** What is fetched, together with everything it needs at run time. */
export interface Jars {
  /** In words, and how much it is: `Kafka 4.1.1 (43 MB)`. */
  readonly title: string;
  /** The name of its folder in the cache. */
  readonly name: string;
  /** As `group:artifact:version`. */
  readonly artifacts: readonly string[];
}

/** The folder that has the jars, where they were fetched before. */
async function cachedJars(jars: Jars): Promise<string | undefined> {
  const folder = folderOf(jars);
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() ? folder : undefined;
}

/** The folder that has the jars. Fetches them where it must, and says so on stderr; rejects with what to install where it cannot. */
export async function mavenJars(jars: Jars, signal?: AbortSignal): Promise<string> {
  const cached = await cachedJars(jars);
  if (cached) return cached;
  const folder = folderOf(jars);
  await mkdir(cacheFolder(), { recursive: true });
  await takingTurns(`${folder}.lock`, async () => {
    if (!(await cachedJars(jars))) await fetchInto(folder, jars, signal);
  });
  return folder;
}

function folderOf(jars: Jars): string {
  const digest = createHash('sha256').update(pomOf(jars)).digest('hex').slice(0, 8);
  return join(cacheFolder(), `${jars.name}-${digest}`);
}

/** Pinned: without a version Maven asks for the newest. */
const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

async function fetchInto(folder: string, jars: Jars, signal: AbortSignal | undefined): Promise<void> {
  const aside = `${folder}.${randomUUID()}`;
  process.stderr.write(`leadership: fetching ${jars.title} with Maven, once: half a minute or so …\n`);
  try {
    await mkdir(aside);
    const pom = join(aside, 'pom.xml');
    await writeFile(pom, pomOf(jars));
    const args = ['-q', '-B', '-f', pom, goal, `-DoutputDirectory=${aside}`, '-DincludeScope=runtime'];
    await promisify(execFile)('mvn', args, { signal });
    await rename(aside, folder);
  } catch (error) {
    signal?.throwIfAborted();
    if (await cachedJars(jars)) return;
    throw new Error(`${jars.title} cannot be fetched: ${complaint(error)}`, { cause: error });
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

function complaint(error: unknown): string {
  const { code, stdout = '' } = error as { readonly code?: unknown; readonly stdout?: string };
  if (code === 'ENOENT') return 'Maven is missing: install it, so that `mvn` is on the path';
  // Maven reports on standard output.
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
