// Maps the errors of Redis and of the connection to this library's errors.
import { LeadershipError } from '@leadership/core';
import { type ErrorMapper, type ErrorMeaning, errorMapper } from '@leadership/core/adapter';

const final = 'misconfigured-backend';
const rights =
  'grant the commands, the key and the channel that the documentation of @leadership/redis lists';
/** Redis 6 puts the error of a command inside a script in the middle of its message. */
const meanings: readonly ErrorMeaning[] = [
  [
    /WRONGPASS|invalid password/,
    'unauthorized',
    'the server refuses the user: correct user and password',
  ],
  [/NOAUTH|HELLO must be called/, 'unauthorized', 'the server asks for a password: set it'],
  [
    /NOPERM|no permissions|user executing the script can't/i,
    'unauthorized',
    `the user lacks a right: ${rights}`,
  ],
  [/WRONGTYPE/, final, 'the key has another type: another application uses it; set another prefix'],
  [/unknown command/i, final, 'the server lacks a command: use Redis 6.2 or newer, or Valkey'],
  [
    /DB index is out of range|SELECT is not allowed/,
    final,
    'the database does not exist: leave it out, or raise databases',
  ],
  [
    /READONLY/,
    'unreachable',
    'the server is a replica: connect to the primary, by Sentinel or by an address that follows it',
  ],
  [/LOADING/, 'unreachable', 'the server is loading its data'],
  [/MASTERDOWN/, 'unreachable', 'the server is a replica without its primary'],
  [/CLUSTERDOWN/, 'unreachable', 'the Cluster does not serve this key: a shard has no primary'],
  [/MOVED|ASK |TRYAGAIN/, 'unreachable', 'the key is moving to another server of the Cluster'],
  [
    /CROSSSLOT|same slot/,
    final,
    'the keys of the group are on several servers of the Cluster: the group must not begin with }, nor the prefix contain {}',
  ],
  [/NOREPLICAS/, 'unreachable', 'too few replicas are connected: see min-replicas-to-write'],
  [/OOM/, 'unreachable', 'the server has no memory left: raise maxmemory'],
  [/MISCONF/, 'unreachable', 'the server cannot save its data on disk: see its log'],
  [/BUSY /, 'unreachable', 'a script blocks the server'],
  [/max number of clients/, 'unreachable', 'the server has no connection left: raise maxclients'],
  [
    /Connection is closed|Socket closed unexpectedly/,
    'unreachable',
    'the server has ended the connection: if it expects TLS, use rediss: or tls',
  ],
  [/^ERR_OSSL_/, final, 'the certificates or the key in tls cannot be read: they must be PEM'],
  [
    /CERT|SIGNATURE|certificate/,
    final,
    'the certificate of the server is not trusted: set tls.ca in connection, or in the client',
  ],
  [
    /wrong version number|packet length too long/,
    final,
    'the server does not speak TLS at this port: enable it, or use redis:',
  ],
];

const meaningOf = errorMapper(meanings, textOf);

/** Maps an error of Redis, of its client or of the connection. */
export const redisError: ErrorMapper = (error, name) => meaningOf(withoutCommand(error), name);

/** Returns whether the server lacks the script, which then goes with the request. */
export function isScriptMissing(error: unknown): boolean {
  return textOf(error).startsWith('NOSCRIPT');
}

/** Returns whether the user lacks the right to run the command. */
export function isForbidden(error: unknown): boolean {
  return textOf(error).startsWith('NOPERM');
}

/** Returns whether the server has answered with this error. */
export function isReply(error: unknown): boolean {
  return /^[A-Z]{2,} /.test(textOf(error));
}

/**
 * Returns whether the connection can go on after this error: the server has answered, and another
 * connection would reach no other server.
 */
export function keepsLink(error: unknown): boolean {
  if (error instanceof LeadershipError) return true;
  const isElsewhere = /READONLY|MASTERDOWN|CLUSTERDOWN|MOVED|ASK |LOADING|NOAUTH/;
  return isReply(error) && !isElsewhere.test(textOf(error));
}

/** Clients wrap the errors of several addresses, and report some without a message. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: unknown };
  const texts = [error.message || String(code ?? error.name), ...innerOf(error).map(textOf)];
  return [...new Set(texts)].join(': ');
}

/** Returns the errors that this one wraps. */
function innerOf(error: Error): readonly unknown[] {
  // ioredis has the reason of a Cluster that cannot be used in a field of its own.
  const { cause, lastNodeError } = error as { cause?: unknown; lastNodeError?: unknown };
  return error instanceof AggregateError ? error.errors : [cause ?? lastNodeError ?? []].flat();
}

/**
 * Removes the command that ioredis adds to the errors of a server. Errors reach logs, and the
 * password is an argument of `AUTH`.
 */
function withoutCommand(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  Reflect.deleteProperty(error, 'command');
  for (const inner of innerOf(error)) withoutCommand(inner);
  return error;
}
