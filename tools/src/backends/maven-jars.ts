// Jars from Maven, downloaded once per user, by one process at a time: Maven's local repository does
// not support concurrent processes.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheDirectory } from './cache-directory.ts';
import { madeOnce } from './made-once.ts';

/** Artifacts to download, together with their runtime dependencies. */
export interface Jars {
  /** A name with the size of the download, for messages: `Kafka 4.1.1 (43 MB)`. */
  readonly title: string;
  /** The name of the directory in the cache. */
  readonly name: string;
  /** The artifacts, as `group:artifact:version`. */
  readonly artifacts: readonly string[];
}

/**
 * Resolves with the directory of the jars. Downloads them if they are not in the cache, and reports
 * that on stderr. Rejects with the program to install if the download is impossible.
 */
export async function mavenJars(jars: Jars, signal?: AbortSignal): Promise<string> {
  const folder = folderOf(jars);
  await madeOnce(folder, (aside) => download(aside, jars, signal));
  return folder;
}

function folderOf(jars: Jars): string {
  const digest = createHash('sha256').update(pomOf(jars)).digest('hex').slice(0, 8);
  return join(cacheDirectory(), `${jars.name}-${digest}`);
}

/** The version is pinned, because Maven would otherwise look for the newest one. */
const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

async function download(into: string, jars: Jars, signal: AbortSignal | undefined): Promise<void> {
  process.stderr.write(
    `leadership: downloading ${jars.title} once with Maven: about half a minute …\n`,
  );
  try {
    await mkdir(into);
    const pom = join(into, 'pom.xml');
    await writeFile(pom, pomOf(jars));
    const outputs = [`-DoutputDirectory=${into}`, '-DincludeScope=runtime'];
    await promisify(execFile)('mvn', ['-q', '-B', '-f', pom, goal, ...outputs], { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw new Error(`${jars.title} cannot be downloaded: ${complaint(error)}`, { cause: error });
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
