// The options of the NATS backend: their types and checks.
import type { SourceOptions } from '@leadership/core';
import {
  check,
  checkNames,
  namesGiven,
  type OwnOptions,
  ownOptions,
  type ServerTls,
} from '@leadership/core/adapter';

/** Certificates in PEM, and how TLS begins. */
export interface NatsTls extends ServerTls {
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

/** The options of this backend beside those of every source. */
export const own: OwnOptions = ownOptions<NatsOptions>(
  {
    servers: 'hosts',
    bucket: 'name',
    create: 'boolean',
    replicas: 'number',
    tls: 'tls',
    user: 'name',
    password: 'secret',
    token: 'secret',
    credentials: 'secret',
    credentialsFile: 'name',
    inboxPrefix: 'name',
    notifications: 'boolean',
  },
  ['handshakeFirst'],
);

/** The bucket unless one is given. */
export const defaultBucket = 'leadership';

/** A group becomes a part of a subject, in which a byte may take three characters. Bytes. */
const groupBytesMax = 400;

/**
 * Checks the options as far as that needs no network.
 * @throws LeadershipError `invalid-options`
 */
export function checkOptions(options: NatsOptions): void {
  const { group, bucket = defaultBucket, replicas = 1, inboxPrefix = '_INBOX' } = options;
  const { user, password, token, credentials, credentialsFile } = options;
  checkNames({ group }, groupBytesMax);
  check(
    /^[-\w]{1,200}$/.test(bucket),
    `bucket ${JSON.stringify(bucket)} must be 1 to 200 letters, digits, "-" or "_"`,
  );
  check(
    [1, 3, 5].includes(replicas),
    `replicas ${replicas} must be 1, 3 or 5: 2 and 4 copies outlive no more servers than 1 and 3`,
  );
  check(
    /^[^\s*>]+$/.test(inboxPrefix),
    `inboxPrefix ${JSON.stringify(inboxPrefix)} must be a subject without blanks and wildcards`,
  );
  check((user === undefined) === (password === undefined), 'user and password belong together');
  const logins = namesGiven({ user, token, credentials, credentialsFile });
  check(logins.length < 2, `${logins.join(' and ')} are set: set one of them`);
}
