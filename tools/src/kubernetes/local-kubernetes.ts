// Starts an API server of Kubernetes beside etcd on this host, which a test may kill and restart.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { type Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { assembled } from '../backends/assembled.ts';
import { type LocalServer, localServer, type ServerPlace } from '../backends/local-server.ts';
import { type EtcdProcess, localEtcd } from '../etcd/local-etcd.ts';
import { apiServerProgram } from './has-kubernetes.ts';

/** Options of a server. */
export interface LocalKubernetesOptions {
  /** Whether the writes of etcd wait for the disk. Default `false`. */
  readonly fsync?: boolean;
  /** Flags of the API server, in addition, by name. */
  readonly flags?: Readonly<Record<string, string>>;
}

/** A request of an administrator. */
export interface KubernetesRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** An API server and its etcd. Roles are checked (RBAC). Disposing kills both and removes their data. */
export interface LocalKubernetes extends AsyncDisposable {
  readonly name: string;
  /** As `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** The issuer of the server's certificate, in PEM. */
  readonly ca: string;
  /** The bearer token of an administrator, who may do everything. */
  readonly token: string;
  readonly server: LocalServer;
  readonly etcd: EtcdProcess;
  /** Sends a request as an administrator. Rejects unless the answer is a success. */
  call(request: KubernetesRequest): Promise<Readonly<Record<string, unknown>>>;
}

/** Starts a server with nothing but what Kubernetes creates itself. No controller runs. */
export async function localKubernetes(
  options: LocalKubernetesOptions = {},
): Promise<LocalKubernetes> {
  const program = await apiServerProgram();
  if (program === undefined) throw new Error('kube-apiserver is not installed');
  const token = randomUUID();
  return assembled(async (keep) => {
    const cluster = keep(await localEtcd({ fsync: options.fsync === true }));
    const [etcd] = cluster.servers;
    if (etcd === undefined) throw new Error('no server of etcd has started');
    const server = keep(
      await localServer({
        name: 'kube-apiserver',
        ports: 1,
        data: (place) => writeSecrets(place, token),
        command: (place) => [program, flagsOf(place, etcd, options)],
        ready: async (place) => {
          await askKubernetes(
            { port: place.port, ca: await certificateIn(place), token },
            { path: '/readyz' },
          );
          return true;
        },
      }),
    );
    const ca = await certificateIn(server);
    return {
      name: 'an API server of Kubernetes on this host',
      url: `https://127.0.0.1:${server.port}`,
      ca,
      token,
      server,
      etcd,
      async call(asked: KubernetesRequest) {
        const answer = await askKubernetes({ port: server.port, ca, token }, asked);
        return JSON.parse(answer) as Record<string, unknown>;
      },
    };
  });
}

/** The server creates a certificate of its own in this directory when it starts first. */
function certificateIn({ directory }: Pick<ServerPlace, 'directory'>): Promise<string> {
  return readFile(join(directory, 'certificates', 'apiserver.crt'), 'utf8');
}

/** The key with which the server signs the tokens of service accounts, and the token of the administrator. */
async function writeSecrets({ directory }: ServerPlace, token: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  await writeFile(join(directory, 'accounts.key'), privateKey);
  await writeFile(join(directory, 'accounts.pub'), publicKey);
  await writeFile(join(directory, 'tokens.csv'), `${token},admin,admin,system:masters\n`);
}

function flagsOf(
  { directory, port }: ServerPlace,
  etcd: EtcdProcess,
  { flags }: LocalKubernetesOptions,
): readonly string[] {
  const settings: Readonly<Record<string, string>> = {
    'etcd-servers': `http://${etcd.endpoint}`,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1',
    'secure-port': String(port),
    'cert-dir': join(directory, 'certificates'),
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-signing-key-file': join(directory, 'accounts.key'),
    'service-account-key-file': join(directory, 'accounts.pub'),
    'token-auth-file': join(directory, 'tokens.csv'),
    'authorization-mode': 'RBAC',
    // The server runs without pods and without other servers.
    'disable-admission-plugins': 'ServiceAccount',
    'endpoint-reconciler-type': 'none',
    'service-cluster-ip-range': '10.0.0.0/24',
    ...flags,
  };
  return Object.entries(settings).map(([flag, value]) => `--${flag}=${value}`);
}

/** The time limit of a request on a starved machine. Milliseconds. */
const limitMs = 20_000;

/** How an administrator reaches a server. */
export interface KubernetesWay {
  readonly port: number;
  readonly ca: string;
  readonly token: string;
  /** Keeps connections. Default: none is kept. */
  readonly agent?: Agent;
}

/** Sends a request. Resolves with the answer; rejects unless it is a success. */
export async function askKubernetes(
  { token, ...way }: KubernetesWay,
  { method = 'GET', path, body }: KubernetesRequest,
): Promise<string> {
  const patch = method === 'PATCH' ? 'merge-patch+json' : 'json';
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': `application/${patch}` };
  const signal = AbortSignal.timeout(limitMs);
  const options = { host: '127.0.0.1', ...way, path, method, headers, signal };
  return new Promise((resolve, reject) => {
    const sent = request(options, (response) => {
      text(response).then((answer) => {
        if (response.statusCode !== undefined && response.statusCode < 300) resolve(answer);
        else reject(new Error(`${method} ${path}: ${response.statusCode} ${answer}`));
      }, reject);
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}
