// Gives a test an etcd cluster: one that the environment names, a container, or a local one.
import { byContainers, hasServer, serverInContainer } from '../backends/by-containers.ts';
import { isOffered } from '../backends/is-offered.ts';
import { type EtcdOptions, localEtcd } from './local-etcd.ts';
import { etcdProgram } from './program.ts';

/** A cluster. Disposing ends it, unless the environment names it. */
export interface EtcdCluster extends AsyncDisposable {
  readonly name: string;
  /** The client addresses of the servers, each as `HOST:PORT`. */
  readonly endpoints: readonly string[];
}

/** The variable that names a running cluster, as in `127.0.0.1:2379,127.0.0.1:22379`. */
const variable = 'ETCD_ENDPOINTS';

/**
 * Starts a cluster, or uses one: the cluster that `ETCD_ENDPOINTS` names, else a container with one
 * server if `BACKENDS_BY=containers` is set, else processes of this host.
 */
export async function startEtcd(options: EtcdOptions = {}): Promise<EtcdCluster> {
  return givenEtcd() ?? (byContainers() ? containerEtcd() : localEtcd(options));
}

/**
 * Resolves with whether {@link startEtcd} can start a cluster. If it cannot, one line on stderr
 * states what is missing; if `REQUIRE_BACKENDS` contains `etcd`, the promise rejects instead.
 */
export async function hasEtcd(): Promise<boolean> {
  return hasServer('etcd', givenEtcd() !== undefined, hasLocalEtcd);
}

/** Resolves with whether this host can start servers that tests may kill. */
export async function hasLocalEtcd(): Promise<boolean> {
  const missing = `run .ci/install-servers, which builds etcd 3.5 with Go, install etcd 3.5 or newer, or set ${variable}=HOST:PORT`;
  return isOffered('etcd', (await etcdProgram()) === undefined ? missing : undefined);
}

function givenEtcd(): EtcdCluster | undefined {
  const endpoints = (process.env[variable] ?? '').split(',').filter(Boolean);
  if (endpoints.length === 0) return undefined;
  return {
    name: `the cluster of ${variable}`,
    endpoints,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function containerEtcd(): Promise<EtcdCluster> {
  const { name, host, port, ...container } = await serverInContainer({
    // A copy of the image of the etcd project.
    variable: 'ETCD_IMAGE',
    image: 'rancher/mirrored-coreos-etcd:v3.5.12',
    port: 2379,
    environment: {
      ETCD_LISTEN_CLIENT_URLS: 'http://0.0.0.0:2379',
      ETCD_ADVERTISE_CLIENT_URLS: 'http://127.0.0.1:2379',
    },
    ready: /ready to serve client requests/,
  });
  return { name, endpoints: [`${host}:${port}`], ...container };
}
