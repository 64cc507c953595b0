import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@leadership/testkit/faults';
import { killOnExit } from '../backends/kill-on-exit.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../backends/temporary-directory.ts';
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
export interface EtcdProcess {
  readonly endpoint: string;
  /** The address of its metrics and of its health, without TLS. */
  readonly metricsUrl: string;
  /** Kills the server (SIGKILL), or stops it in order. */
  stop(how: 'kill' | 'fast'): Promise<void>;
  /** Starts the server on the same ports. Resolves once it serves clients. */
  start(): Promise<void>;
  /** Stops or continues the process (SIGSTOP, SIGCONT), without closing its connections. */
  pause(isPaused: boolean): void;
}

/** A cluster that this process controls. Disposing kills it and removes its data. */
export interface LocalEtcd extends AsyncDisposable {
  readonly name: string;
  readonly endpoints: readonly string[];
  readonly servers: readonly EtcdProcess[];
}

/** A starved machine needs this long to start a server. Milliseconds. */
const timeoutMs = 60_000;
/** Pause between two questions whether the server is healthy. Milliseconds. */
const periodMs = 20;

/** Starts the servers of a new cluster on this host, with their data in a temporary directory. */
export async function localEtcd(options: EtcdOptions = {}): Promise<LocalEtcd> {
  const { servers: count = 1 } = options;
  const program = await etcdProgram();
  if (program === undefined) throw new Error('etcd 3.5 or newer is not installed');
  const ports = await freePorts(3 * count);
  const home = await temporaryDirectory('leadership-etcd');
  const places = Array.from({ length: count }, (_, index) => placeOf(index, ports));
  const peers = places.map(({ name, peer }) => `${name}=${peer}`).join(',');
  const servers = places.map((place) =>
    etcdProcess(program, home, flagsOf(place, home, peers, options), place),
  );
  const end = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop('kill')));
    await home[Symbol.asyncDispose]();
  };
  try {
    await Promise.all(servers.map((server) => server.start()));
  } catch (error) {
    await end();
    throw error;
  }
  return {
    name: `etcd of this host, ${count} ${count === 1 ? 'server' : 'servers'}`,
    endpoints: servers.map(({ endpoint }) => endpoint),
    servers,
    [Symbol.asyncDispose]: end,
  };
}

/** The name and the addresses of one server. */
interface Place {
  readonly name: string;
  readonly endpoint: string;
  readonly peer: string;
  readonly metricsUrl: string;
}

function placeOf(index: number, ports: readonly number[]): Place {
  const [client, peer, metrics] = ports.slice(3 * index);
  return {
    name: `s${index + 1}`,
    endpoint: `127.0.0.1:${client}`,
    peer: `http://127.0.0.1:${peer}`,
    metricsUrl: `http://127.0.0.1:${metrics}`,
  };
}

function flagsOf(
  { name, endpoint, peer, metricsUrl }: Place,
  home: TemporaryDirectory,
  peers: string,
  { fsync, tls, flags }: EtcdOptions,
): readonly string[] {
  const client = `${tls ? 'https' : 'http'}://${endpoint}`;
  const settings: Readonly<Record<string, string>> = {
    name,
    'data-dir': join(home.path, name),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': peers,
    'listen-metrics-urls': metricsUrl,
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

function etcdProcess(
  program: string,
  home: TemporaryDirectory,
  flags: readonly string[],
  { endpoint, metricsUrl }: Place,
): EtcdProcess {
  let run: { readonly child: ChildProcess; readonly exited: Promise<unknown> } | undefined;
  const stop: EtcdProcess['stop'] = async (how) => {
    const stopped = run;
    run = undefined;
    stopped?.child.kill(how === 'kill' ? 'SIGKILL' : 'SIGTERM');
    await stopped?.exited;
  };
  return {
    endpoint,
    metricsUrl,
    stop,
    async start() {
      const [command, args] = await killOnExit([program, flags]);
      const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      const note = child.pid === undefined ? undefined : home.occupy(child.pid);
      const output = lastOutput(child);
      const exited = once(child, 'close').catch((error: unknown) => error);
      void exited.then(() => note?.[Symbol.dispose]());
      run = { child, exited };
      const failed = exited.then(() => Promise.reject(new Error(`etcd ended: ${output()}`)));
      try {
        await Promise.race([isHealthy(metricsUrl), failed]);
      } catch (error) {
        await stop('kill');
        throw error;
      }
      failed.catch(() => undefined);
    },
    pause: (isPaused) => void run?.child.kill(isPaused ? 'SIGSTOP' : 'SIGCONT'),
  };
}

/** Resolves once the server has a leader. */
async function isHealthy(metricsUrl: string): Promise<void> {
  for (const until = performance.now() + timeoutMs; performance.now() < until; ) {
    const isReady = await fetch(`${metricsUrl}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await pause(periodMs);
  }
  throw new Error(`etcd was not healthy within ${timeoutMs} ms`);
}

/** Reads the output, because a full pipe would block the server. Returns the end of it. */
function lastOutput(child: ChildProcess): () => string {
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-2000);
  });
  return () => output;
}
