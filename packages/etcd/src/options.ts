// The options of the etcd backend: their types and checks.
import type { SourceOptions } from '@leadership/core';
import {
  check,
  checkFields,
  checkHosts,
  checkSecret,
  checkTls,
  checkTypes,
  type UrlParameters,
} from '@leadership/core/adapter';

/** Certificates in PEM. */
export interface EtcdTls {
  /** The trusted issuers of the servers' certificates. Default: Node's root certificates. */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
  /** The certificate of this client, if the servers ask for one. */
  readonly cert?: string | Buffer;
  /** The private key of this client. */
  readonly key?: string | Buffer;
  /** The passphrase of the private key, if it has one. */
  readonly passphrase?: string;
  /** The name in the servers' certificates. Default: the host of the endpoint. */
  readonly servername?: string;
}

/** Options for {@link etcdLeadership}. */
export interface EtcdOptions extends SourceOptions {
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
  /**
   * The client addresses of the cluster's servers, each as `HOST` or `HOST:PORT`. If one does not
   * answer, members use the next one. Default port 2379.
   */
  readonly endpoints: readonly string[];
  /** The beginning of the keys of all groups. All members must use the same. Default `leadership/`. */
  readonly prefix?: string;
  /**
   * TLS: `true`, certificates, or a function that returns current ones, which is called for each new
   * connection. Default `false`.
   */
  readonly tls?: boolean | EtcdTls | (() => EtcdTls | Promise<EtcdTls>);
  /** The name of the user. Default: no authentication. */
  readonly user?: string;
  /** The password of the user, or a function that returns a current one for each authentication. */
  readonly password?: string | (() => string | Promise<string>);
  /** A token instead of user and password, or a function that returns a current one. */
  readonly token?: string | (() => string | Promise<string>);
  /**
   * Whether members watch for notifications of one another, so that neither a hand-over nor the
   * news of the next leader waits for the next poll. Default `true`.
   */
  readonly notifications?: boolean;
}

/** The query parameters of a URL. */
export const parameters: UrlParameters = {
  user: 'string',
  prefix: 'string',
  tls: 'boolean',
  notifications: 'boolean',
};

/** The options of this backend beside those of every source. */
export const ownOptions: readonly (keyof EtcdOptions)[] = [
  ...(['endpoints', 'prefix', 'tls', 'user', 'password', 'token', 'notifications'] as const),
];

const tlsFields: readonly (keyof EtcdTls)[] = ['ca', 'cert', 'key', 'passphrase', 'servername'];

const defaultPort = 2379;

/**
 * Checks the options as far as that needs no network.
 * @throws LeadershipError `invalid-options`
 */
export function checkOptions(options: EtcdOptions): void {
  const { group, endpoints, prefix, tls, user, password, token, notifications } = options;
  checkHosts('endpoint', endpoints);
  for (const [name, value] of Object.entries({ password, token })) checkSecret(name, value);
  for (const [name, value] of Object.entries({ group, prefix, user }))
    check(
      value === undefined || isText(value),
      `${name} must be a text that is not empty and has no half of a surrogate pair`,
    );
  check((user === undefined) === (password === undefined), 'user and password belong together');
  check(token === undefined || user === undefined, 'token and user are set: set one of them');
  if (typeof tls === 'object' && tls !== null) checkFields('tls', tls, tlsFields);
  checkTls('tls', tls);
  checkTypes('boolean', { notifications });
}

/** etcd stores bytes, and half of a surrogate pair has none. */
function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value);
}

/** Returns the origins of the endpoints, as in `https://127.0.0.1:2379`. */
export function originsOf({ endpoints, tls }: Pick<EtcdOptions, 'endpoints' | 'tls'>): string[] {
  const scheme = tls ? 'https' : 'http';
  return endpoints.map((endpoint) => {
    const isBare = /^(\[.*\]|[^:]*)$/.test(endpoint);
    return `${scheme}://${endpoint}${isBare ? `:${defaultPort}` : ''}`;
  });
}
