// Starts ZooKeeper for the benchmarks, and compiles the programs of Apache Curator, with whose
// election they compare.
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { javaProgram, missingJava } from '../backends/java.ts';
import { acceptsConnections, localServer } from '../backends/local-server.ts';
import { mavenJars } from '../backends/maven-jars.ts';

/** A server. Disposing ends it. */
export interface ZooKeeper extends AsyncDisposable {
  readonly address: string;
}

/** A program that uses Curator, as its command line without arguments, or why there is none. */
export type CuratorProgram =
  | { readonly kind: 'built'; readonly command: readonly [string, ...string[]] }
  | { readonly kind: 'missing'; readonly why: string };

/**
 * Curator with the ZooKeeper that it is released with. The server needs snappy and metrics, and
 * slf4j logs nothing without a binding.
 */
const jars = {
  title: 'ZooKeeper 3.9.2 and Curator 5.7.1 (about 12 MB)',
  name: 'curator-5.7.1',
  artifacts: [
    'org.apache.curator:curator-recipes:5.7.1',
    'org.apache.zookeeper:zookeeper:3.9.2',
    'org.xerial.snappy:snappy-java:1.1.10.5',
    'io.dropwizard.metrics:metrics-core:4.1.12.1',
    'org.slf4j:slf4j-simple:1.7.36',
  ],
} as const;

/** The unit of its session timeouts, as in the sample configuration of ZooKeeper. Milliseconds. */
const tickMs = 2000;
/** The oldest Java that runs both. */
const leastJava = 11;
/** A small heap, a fast start instead of fast execution, and only errors in the log. */
const flags = [
  '-Xmx96m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=off',
];

/** Compiles a program of one file into a directory. Java can run it from there. */
export async function curatorProgram(source: string, into: string): Promise<CuratorProgram> {
  const missing = await missingJava(leastJava);
  if (missing !== undefined) return { kind: 'missing', why: missing };
  try {
    const classPath = await classPathOf();
    await promisify(execFile)(javaProgram('javac'), ['-cp', classPath, '-d', into, source]);
    const name = source.replace(/^.*\/|\.java$/g, '');
    const path = `${into}${delimiter}${classPath}`;
    return { kind: 'built', command: [javaProgram('java'), ...flags, '-cp', path, name] };
  } catch (error) {
    return { kind: 'missing', why: String(error) };
  }
}

/** The jars without a second binding of slf4j, which would log everything to standard output. */
async function classPathOf(): Promise<string> {
  const folder = await mavenJars(jars);
  const names = (await readdir(folder)).filter((name) => /^(?!logback).*\.jar$/.test(name));
  return names.map((name) => join(folder, name)).join(delimiter);
}

/** Starts one server. */
export async function startZooKeeper(): Promise<ZooKeeper> {
  const classPath = await classPathOf();
  const program = 'org.apache.zookeeper.server.ZooKeeperServerMain';
  const server = await localServer({
    name: 'ZooKeeper',
    ports: 1,
    command: ({ directory, port }) => [
      javaProgram('java'),
      [
        ...[...flags, '-Dzookeeper.admin.enableServer=false', '-cp', classPath],
        ...[program, String(port), join(directory, 'data'), String(tickMs)],
      ],
    ],
    ready: acceptsConnections,
  });
  return Object.assign(server, { address: `127.0.0.1:${server.port}` });
}
