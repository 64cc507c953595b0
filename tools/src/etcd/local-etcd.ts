// Starts etcd servers on this host that a test may kill and restart.
import { join } from 'node:path';
import { freePorts } from '@leadership/testkit/faults';
import {
  allStarted,
  type LocalServer,
  localServer,
  type ServerPlace,
} from '../backends/local-server.ts';
import { etcdProgram } from './program.ts';

/** Options of a cluster that this process starts. */
export interface EtcdOptions {
  /** The number of servers. Default 1. */
  readonly servers?: number;
  /**
   * Whether writes wait for the disk. Default `false`: the tests kill the servers and not the
   * machine, so nothing is lost.
   */
  readonly fsync?: boolean;
  /** The files of the certificate for clients, in PEM. Default: no TLS. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly clientCa?: string };
  /** Flags of each server, in addition, by name. */
  readonly flags?: Readonly<Record<string, string>>;
}

/** One server of a cluster. */
export interface EtcdProcess extends LocalServer {
  readonly endpoint: string;
  /** The address of its metrics and of its health, without TLS. */
  readonly metricsUrl: string;
}

/** A cluster that this process controls. Disposing kills it and removes its data. */
export interface LocalEtcd extends AsyncDisposable {
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly servers: readonly EtcdProcess[];
}

/** Starts the servers of a new cluster on this host, with their data in temporary directories. */
export async function localEtcd(options: EtcdOptions = {}): Promise<LocalEtcd> {
  const { servers: count = 1 } = options;
  const program = await etcdProgram();
  if (program === undefined) throw new Error('etcd 3.5 or newer is not installed');
  const free = await freePorts(3 * count);
  const all = Array.from({ length: count }, (_, index) => free.slice(3 * index, 3 * index + 3));
  const peers = all.map((ports, index) => `s${index}=${urlsOf(ports).peer}`).join(',');
  const servers = await allStarted((signal) =>
    all.map(async (ports, index): Promise<EtcdProcess> => {
      const { metrics } = urlsOf(ports);
      const server = await localServer({
        name: 'etcd',
        ports,
        command: (place) => [program, flagsOf(place, `s${index}`, peers, options)],
        // It is healthy once it has a leader.
        ready: async (_, over) => (await fetch(`${metrics}/health`, { signal: over })).ok,
        signal,
      });
      return Object.assign(server, {
        endpoint: `127.0.0.1:${server.port}`,
        metricsUrl: metrics,
      });
    }),
  );
  return {
    name: `etcd of this host, ${count} ${count === 1 ? 'server' : 'servers'}`,
    endpoints: servers.map(({ endpoint }) => endpoint),
    servers,
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

function urlsOf([, peer, metrics]: readonly number[]) {
  return { peer: `http://127.0.0.1:${peer}`, metrics: `http://127.0.0.1:${metrics}` };
}

function flagsOf(
  { directory, port, ports }: ServerPlace,
  name: string,
  peers: string,
  { fsync, tls, flags }: EtcdOptions,
): readonly string[] {
  const { peer, metrics } = urlsOf(ports);
  const client = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  const settings: Readonly<Record<string, string>> = {
    name,
    'data-dir': join(directory, 'data'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': peers,
    'listen-metrics-urls': metrics,
    'log-level': 'error',
    // The least that etcd accepts: the tests log in often.
    'bcrypt-cost': '4',
    'unsafe-no-fsync': String(fsync !== true),
    ...(tls && { 'cert-file': tls.cert, 'key-file': tls.key }),
    ...(tls?.clientCa && { 'client-cert-auth': 'true', 'trusted-ca-file': tls.clientCa }),
    ...flags,
  };
  return Object.entries(settings).map(([flag, value]) => `--${flag}=${value}`);
}
