// The options of the etcd backend: their types and checks.
import type { SourceOptions } from '@leadership/core';
import {
  check,
  checkNames,
  type OwnOptions,
  ownOptions,
  type ServerTls,
} from '@leadership/core/adapter';

/** Certificates in PEM. */
export interface EtcdTls extends ServerTls {}

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

/** The options of this backend beside those of every source. */
export const own: OwnOptions = ownOptions<EtcdOptions>({
  endpoints: 'hosts',
  prefix: 'name',
  tls: 'tls',
  user: 'name',
  password: 'secret',
  token: 'secret',
  notifications: 'boolean',
});

const defaultPort = 2379;

/**
 * Checks the options as far as that needs no network.
 * @throws LeadershipError `invalid-options`
 */
export function checkOptions(options: EtcdOptions): void {
  const { group, user, password, token } = options;
  checkNames({ group });
  check((user === undefined) === (password === undefined), 'user and password belong together');
  check(token === undefined || user === undefined, 'token and user are set: set one of them');
}

/** Returns the origins of the endpoints, as in `https://127.0.0.1:2379`. */
export function originsOf({ endpoints, tls }: Pick<EtcdOptions, 'endpoints' | 'tls'>): string[] {
  const scheme = tls ? 'https' : 'http';
  return endpoints.map((endpoint) => {
    const isBare = /^(\[.*\]|[^:]*)$/.test(endpoint);
    return `${scheme}://${endpoint}${isBare ? `:${defaultPort}` : ''}`;
  });
}
