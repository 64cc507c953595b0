// How a member reaches the API server: by the service account of its pod, or by the options. Both are read
// again for each request, because tokens and certificates change while a member runs.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { misconfigured } from '@leadership/core/adapter';
import { type Connection, type KubernetesTls, own } from './options.ts';

/** Where the API server is, and who asks it. */
export interface Access {
  readonly server: string;
  readonly tls: KubernetesTls;
  readonly token?: string | undefined;
  /** The namespace unless the options name one. */
  readonly namespace?: string | undefined;
}

/** Returns how to reach the server now. */
export type FindAccess = (signal: AbortSignal) => Promise<Access>;

/** The environment of a process, and where Kubernetes mounts the service account of its pod. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly serviceAccount: string;
}

const surroundingsOfPod: Surroundings = {
  env: process.env,
  serviceAccount: '/var/run/secrets/kubernetes.io/serviceaccount',
};

/** Returns a function that finds the access that the options describe. Reads nothing yet. */
export function accessOf(
  connection: Connection,
  surroundings: Surroundings = surroundingsOfPod,
): FindAccess {
  const { server } = connection;
  if (server === undefined) return () => podAccess(surroundings);
  return async (signal) => ({ server, tls: {}, ...(await own.current(connection, signal)) });
}

/** The token rotates about once an hour, and its file with it. */
async function podAccess({ env, serviceAccount }: Surroundings): Promise<Access> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = env;
  if (!host)
    throw misconfigured(
      'this process is not in a pod: run kubectl proxy, and set server to http://127.0.0.1:8001',
    );
  try {
    const files = ['token', 'ca.crt', 'namespace'].map((name) => join(serviceAccount, name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    const [token = '', ca = '', namespace = ''] = texts.map((text) => text.trim());
    const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
    return { server, tls: { ca }, token, namespace };
  } catch (cause) {
    throw misconfigured(
      `the service account of the pod cannot be read (${String(cause)}): set automountServiceAccountToken, or the options server and token`,
      { cause },
    );
  }
}
