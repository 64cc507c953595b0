// The options of the NATS backend: their types and checks.
import type { SourceOptions } from '@leadership/core';
import {
  check,
  checkFields,
  checkHosts,
  checkNames,
  checkSecret,
  checkTls,
  checkTypes,
  namesGiven,
  type UrlParameters,
} from '@leadership/core/adapter';

/** Certificates in PEM. */
export interface NatsTls {
  /** The trusted issuers of the servers' certificates. Default: Node's root certificates. */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
  /** The certificate of this client, if the servers ask for one. */
  readonly cert?: string | Buffer;
  /** The private key of this client. */
  readonly key?: string | Buffer;
  /** The passphrase of the private key, if it has one. */
  readonly passphrase?: string;
  /** The name in the servers' certificates. Default: the host of the server. */
  readonly servername?: string;
  /** Whether TLS begins before the server describes itself, as with its `handshake_first`. Default `false`. */
  readonly handshakeFirst?: boolean;
}

/** Options for {@link natsLeadership}. */
export interface NatsOptions extends SourceOptions {
  /** The name of the group. Its members compete for the same roles. */
  readonly group: string;
  /**
   * The servers of the cluster, each as `HOST` or `HOST:PORT`. If one does not answer, members use the
   * next one. Default port 4222.
   */
  readonly servers: readonly string[];
  /** The name of the key-value bucket. All members must use the same. Default `leadership`. */
  readonly bucket?: string;
  /** Whether a member creates a missing bucket. Default `true`. */
  readonly create?: boolean;
  /**
   * The least number of copies of the bucket, and that of a bucket that a member creates: 1, 3 or 5.
   * Default: 3 on a cluster, 1 on a server without one.
   */
  readonly replicas?: 1 | 3 | 5;
  /**
   * TLS: `true`, certificates, or a function that returns current ones, which is called for each new
   * connection. Servers that require it need no option. Default `false`.
   */
  readonly tls?: boolean | NatsTls | (() => NatsTls | Promise<NatsTls>);
  /** The name of the user. */
  readonly user?: string;
  /** The password of the user, or a function that returns a current one for each new connection. */
  readonly password?: string | (() => string | Promise<string>);
  /** A token, or a function that returns a current one for each new connection. */
  readonly token?: string | (() => string | Promise<string>);
  /**
   * The content of a credentials file, the seed of an nkey, or a function that returns current ones for
   * each new connection.
   */
  readonly credentials?: string | (() => string | Promise<string>);
  /** The path of a file with credentials, which is read for each new connection. */
  readonly credentialsFile?: string;
  /** The beginning of the subjects for replies, if the user may not subscribe to others. Default `_INBOX`. */
  readonly inboxPrefix?: string;
  /**
   * Whether members act on the changes of one another as the server shows them, so that neither a
   * hand-over nor the news of the next leader waits for the next poll. Default `true`.
   */
  readonly notifications?: boolean;
}

/** The query parameters of a URL. */
export const parameters: UrlParameters = {
  ...{ bucket: 'string', user: 'string', credentialsFile: 'string', inboxPrefix: 'string' },
  ...{ create: 'boolean', replicas: 'number', tls: 'boolean', notifications: 'boolean' },
};

/** The options of this backend beside those of every source. */
export const ownOptions: readonly (keyof NatsOptions)[] = [
  ...(['servers', 'bucket', 'create', 'replicas', 'tls', 'user', 'password', 'token'] as const),
  ...(['credentials', 'credentialsFile', 'inboxPrefix', 'notifications'] as const),
];

/** The bucket unless one is given. */
export const defaultBucket = 'leadership';

const tlsFields: readonly (keyof NatsTls)[] = [
  ...(['ca', 'cert', 'key', 'passphrase', 'servername', 'handshakeFirst'] as const),
];

/** A group becomes a part of a subject, in which a byte may take three characters. Bytes. */
const groupBytesMax = 400;

/**
 * Checks the options as far as that needs no network.
 * @throws LeadershipError `invalid-options`
 */
export function checkOptions(options: NatsOptions): void {
  const { group, servers, bucket, create, replicas, inboxPrefix, notifications } = options;
  checkHosts('server', servers);
  check(
    bucket === undefined || isLike(bucket, /^[-\w]{1,200}$/),
    `bucket ${JSON.stringify(bucket)} must be 1 to 200 letters, digits, "-" or "_"`,
  );
  check(
    replicas === undefined || [1, 3, 5].includes(replicas),
    `replicas ${replicas} must be 1, 3 or 5: 2 and 4 copies outlive no more servers than 1 and 3`,
  );
  check(
    inboxPrefix === undefined || isLike(inboxPrefix, /^[^\s*>]+$/),
    `inboxPrefix ${JSON.stringify(inboxPrefix)} must be a subject without blanks and wildcards`,
  );
  checkNames({ group }, groupBytesMax);
  checkTypes('boolean', { create, notifications });
  checkLogin(options);
}

/** Checks how a member authenticates, and its certificates. */
function checkLogin({ tls, ...options }: NatsOptions): void {
  const { user, password, token, credentials, credentialsFile } = options;
  for (const [name, value] of Object.entries({ password, token, credentials }))
    checkSecret(name, value);
  checkNames({ user, credentialsFile });
  check((user === undefined) === (password === undefined), 'user and password belong together');
  const logins = namesGiven({ user, token, credentials, credentialsFile });
  check(logins.length < 2, `${logins.join(' and ')} are set: set one of them`);
  if (typeof tls === 'object' && tls !== null) checkFields('tls', tls, tlsFields);
  checkTls('tls', tls);
}

function isLike(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}
