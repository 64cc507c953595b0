// Starts a Redis or Valkey on this host that a test may kill and restart.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { directoryWith } from '../backends/directory-with.ts';
import type { NamedServer } from '../backends/given-server.ts';
import { type LocalServer, localServer, type ServerPlace } from '../backends/local-server.ts';
import { askRedis } from './ask-redis.ts';

/** Settings of the server, as in `redis.conf`; `undefined` leaves out one that is set here. */
export type RedisSettings = Readonly<Record<string, string | undefined>>;

/** A server that this process controls. */
export interface LocalRedis extends NamedServer, LocalServer {
  readonly port: number;
  /** Sends one command, and resolves with its reply as text. */
  ask(...command: readonly string[]): Promise<string>;
}

const programs = ['redis-server', 'valkey-server'];

/** The settings of a server with data. It keeps what it acknowledged if it is killed. */
const withData = {
  save: '',
  appendonly: 'yes',
  // The default, `everysec`, replies before it writes while the disk is still busy with the last
  // second, so a kill loses the change. No machine is switched off here, so nothing is flushed.
  appendfsync: 'no',
  'repl-diskless-sync-delay': '0',
};

/** Leaves out the settings of a server with data. */
export const withoutData: RedisSettings = Object.fromEntries(
  Object.keys(withData).map((name) => [name, undefined]),
);

/** Resolves with the installed server, `undefined` if there is none. */
export async function serverProgram(): Promise<string | undefined> {
  for (const program of programs) {
    const directory = await directoryWith([program]);
    if (directory !== undefined) return join(directory, program);
  }
  return undefined;
}

/** A server that starts with a file of its own, as Sentinel does. */
export interface RedisFile {
  readonly text: string;
  /** Arguments after the name of the file. */
  readonly args: readonly string[];
}

/**
 * Starts a server of this host in a temporary directory. It writes every change to a file before it
 * replies, and so keeps it if it is killed.
 */
export async function localRedis(
  settings: RedisSettings = {},
  file?: RedisFile,
): Promise<LocalRedis> {
  const program = await serverProgram();
  if (program === undefined) throw new Error('Redis is not installed');
  const inCluster = settings['cluster-enabled'] === 'yes';
  const fileIn = ({ directory }: ServerPlace): string => join(directory, 'redis.conf');
  const server = await localServer({
    name: 'Redis',
    // The default port of the bus, 10 000 higher, may belong to an outgoing connection.
    ports: inCluster ? 2 : 1,
    data: async (place) => file && writeFile(fileIn(place), file.text),
    command: (place) => {
      const own = file ? [fileIn(place), ...file.args] : [];
      return [program, [...own, ...flagsOf(place, settings)]];
    },
    ready: answers,
  });
  return Object.assign(server, {
    name: 'Redis of this host',
    host: '127.0.0.1',
    ask: (...command: readonly string[]) => askRedis(server.port, ...command),
  });
}

function flagsOf(
  { directory, ports: [port, bus] }: ServerPlace,
  settings: RedisSettings,
): readonly string[] {
  const fixed = {
    bind: '127.0.0.1',
    port: String(port),
    'cluster-port': bus?.toString(),
    dir: directory,
  };
  return Object.entries({ ...fixed, ...withData, ...settings }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, ...value.split(' ')],
  );
}

/** Returns whether the server answers, also if it asks for a password. */
function answers({ port }: ServerPlace): Promise<boolean> {
  return askRedis(port, 'PING').then(
    () => true,
    (error: Error) => error.message.includes('NOAUTH'),
  );
}
