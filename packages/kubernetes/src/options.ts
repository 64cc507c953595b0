// The options of the Kubernetes backend: their types and checks.
import type { SourceOptions } from '@leadership/core';
import { check, type OwnOptions, ownOptions, type ServerTls } from '@leadership/core/adapter';

/** Certificates in PEM. */
export interface KubernetesTls extends ServerTls {}

/** Options for {@link kubernetesLeadership}. */
export interface KubernetesOptions extends SourceOptions {
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
  /**
   * T in milliseconds, as for every backend. Default 15 000, as in the clients of Kubernetes itself: the
   * API server is shared, and a member that leads sends it a request every T/3.
   */
  readonly thresholdMs?: number;
  /** The namespace of the `Lease` objects, which must exist. Default: that of the pod. */
  readonly namespace?: string;
  /**
   * The address of the API server, as `https://HOST:PORT`, or of `kubectl proxy` on this host, as
   * `http://127.0.0.1:8001`. Default: the server of the pod, with its service account.
   */
  readonly server?: string;
  /** Certificates for `server`, or a function that returns current ones for each request. */
  readonly tls?: KubernetesTls | (() => KubernetesTls | Promise<KubernetesTls>);
  /** The bearer token for `server`, or a function that returns a current one for each request. */
  readonly token?: string | (() => string | Promise<string>);
  /**
   * Whether members watch the objects of the group, so that neither a hand-over nor the news of the next
   * leader waits for the next poll. Default `true`.
   */
  readonly notifications?: boolean;
}

/** The options of this backend beside those of every source. */
export const own: OwnOptions = ownOptions<KubernetesOptions>({
  namespace: 'name',
  server: 'name',
  tls: 'certificates',
  token: 'secret',
  notifications: 'boolean',
});

/** T unless it is given. Milliseconds. */
export const defaultThresholdMs = 15_000;

/** A label of DNS, as the server requires it. */
const namespacePattern = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Checks the options as far as that needs no network.
 * @throws LeadershipError `invalid-options`
 */
export function checkOptions(options: KubernetesOptions): void {
  const { namespace, server, tls, token } = options;
  check(
    namespace === undefined || (typeof namespace === 'string' && namespacePattern.test(namespace)),
    // Its value may be a URL with a password by mistake.
    'namespace must be 1 to 63 lower-case letters, digits or "-"',
  );
  check(
    server === undefined || isServer(server),
    'server must be https://HOST:PORT, or http://127.0.0.1:PORT for kubectl proxy',
  );
  check(
    server !== undefined || (tls === undefined && token === undefined),
    'tls and token belong to server: set it too',
  );
}

/** Without TLS anybody on the way could read the token, and there is none on the way of this host. */
function isServer(server: unknown): boolean {
  if (typeof server !== 'string' || !URL.canParse(server)) return false;
  const { protocol, hostname, username, search, hash } = new URL(server);
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  return (protocol === 'https:' || isLocal) && `${username}${search}${hash}` === '';
}

/** How the options say that the server is reached. */
export type Connection = Pick<KubernetesOptions, 'namespace' | 'server' | 'tls' | 'token'>;
