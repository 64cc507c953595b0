// Starts servers of NATS on this host that a test may kill and restart.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '@leadership/testkit/faults';
import {
  allStarted,
  type LocalServer,
  localServer,
  type ServerPlace,
} from '../backends/local-server.ts';
import { natsProgram } from './has-nats.ts';

/** How servers are configured. */
export interface NatsSettings {
  /** The number of servers. Default 1. */
  readonly servers?: number;
  /** The address of this host on which they listen. Default `127.0.0.1`. */
  readonly host?: '127.0.0.1' | '::1';
  /**
   * Whether a change waits for the disk. Default `false`: the tests kill the servers and not the
   * machine, so nothing is lost.
   */
  readonly fsync?: boolean;
  /** Lines of the configuration of each server, in addition. */
  readonly lines?: readonly string[];
}

/** One server of a cluster. */
export interface NatsProcess extends LocalServer {
  /** Its address, as `HOST:PORT`. */
  readonly address: string;
  readonly name: string;
}

/** A cluster that this process controls. Disposing kills it and removes its data. */
export interface LocalNats extends AsyncDisposable {
  readonly addresses: readonly string[];
  readonly servers: readonly NatsProcess[];
}

/** Starts the servers of a new cluster on this host, with their data in temporary directories. */
export async function localNats(settings: NatsSettings = {}): Promise<LocalNats> {
  const { servers: count = 1, host = '127.0.0.1' } = settings;
  const program = await natsProgram();
  if (program === undefined) throw new Error('nats-server is not installed');
  const free = await freePorts(3 * count);
  const all = Array.from({ length: count }, (_, index) => free.slice(3 * index, 3 * index + 3));
  const routes = all.map(([, route]) => `nats://127.0.0.1:${route}`);
  const servers = await allStarted((signal) =>
    all.map(async (ports, index): Promise<NatsProcess> => {
      const name = `s${index}`;
      const monitor = `http://127.0.0.1:${ports[2]}`;
      const server = await localServer({
        name: 'nats-server',
        ports,
        data: (place) =>
          writeFile(
            join(place.directory, 'nats.conf'),
            configurationOf(place, name, count > 1 ? routes : [], settings),
          ),
        command: ({ directory }) => [program, ['--config', join(directory, 'nats.conf')]],
        // It is healthy once JetStream has a leader.
        ready: async (_, over) => (await fetch(`${monitor}/healthz`, { signal: over })).ok,
        signal,
      });
      return Object.assign(server, { name, address: addressOf(host, server.port) });
    }),
  );
  return {
    addresses: servers.map(({ address }) => address),
    servers,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

function configurationOf(
  { directory, ports: [client, route, monitor] }: ServerPlace,
  name: string,
  routes: readonly string[],
  { fsync = false, lines = [], host = '127.0.0.1' }: NatsSettings,
): string {
  const sync = fsync ? 'sync_interval: always' : '';
  const cluster =
    routes.length === 0
      ? []
      : [
          `cluster { name: tests, listen: "127.0.0.1:${route}", routes: ${JSON.stringify(routes)} }`,
        ];
  return [
    `server_name: ${name}`,
    `listen: "${addressOf(host, client)}"`,
    `http: "127.0.0.1:${monitor}"`,
    `jetstream { store_dir: ${JSON.stringify(join(directory, 'data'))}, max_file_store: 1G, ${sync} }`,
    ...cluster,
    ...lines,
  ].join('\n');
}

/** Returns `HOST:PORT`, or `[HOST]:PORT` with an address of IPv6. */
function addressOf(host: string, port: number | undefined): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
