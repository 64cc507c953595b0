// Maps the errors of etcd, of TLS and of the connection to this library's errors.
import { LeadershipError } from '@leadership/core';
import {
  codeIn,
  type ErrorMapper,
  type ErrorMeaning,
  errorMapper,
  ReplyError,
  tlsMeanings,
} from '@leadership/core/adapter';

/** Another cluster answers than the one that a request is for. */
export class OtherCluster extends Error {
  constructor() {
    super('another cluster answers');
  }
}

const final = 'misconfigured-backend';
const meanings: readonly ErrorMeaning[] = [
  [/authentication failed/, 'unauthorized', 'the server refuses the user: correct user, password'],
  [/user name is empty/, 'unauthorized', 'the server asks for a user: set user, password or token'],
  [/user name not found/, 'unauthorized', 'the user of the token does not exist: create it'],
  [/invalid auth token|^16 /, 'unauthorized', 'the token is not valid any more: set a current one'],
  [
    /^7 |permission denied/,
    'unauthorized',
    'the user lacks a right: grant readwrite on these keys',
  ],
  [/too many operations/, final, 'start etcd with a --max-txn-ops of 128 or more'],
  [/space exceeded/, 'unreachable', 'the database is full: compact, defragment, disarm the alarm'],
  [/corrupt/, 'unreachable', 'the cluster reports corrupt data: replace the server that has it'],
  [/learner/, 'unreachable', 'the server is a learner, which may not answer: name voting servers'],
  [/no leader/, 'unreachable', 'the server has no leader: most servers must reach one another'],
  [
    /^http-400 CommonName/,
    final,
    'with users, the gateway refuses client certificates with a common name: set another in tls',
  ],
  [
    /server preface.*tls/,
    'unreachable',
    'the gateway cannot reach its own server: --trusted-ca-file must trust its certificate too',
  ],
  [/^http-404 /, final, 'no JSON gateway answers there: start etcd with --enable-grpc-gateway'],
  [/HTTP request to an HTTPS server/, final, 'the server expects TLS: set tls'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH/, final, 'the server does not offer TLS: leave out tls'],
  [/before secure TLS/, 'unreachable', 'the server closes the connection: does it offer TLS?'],
  [/socket hang up/, 'unreachable', 'the server closes the connection: if it expects TLS, set tls'],
  [/^ERR_INVALID_CHAR/, 'unauthorized', 'no header may have the token: has it a line break?'],
  [/ECONNRESET/, 'unreachable', 'the server, or a proxy before it, has ended the connection'],
  ...tlsMeanings(),
];

/** Maps an error of etcd, of TLS or of the connection. */
export const etcdError: ErrorMapper = errorMapper(meanings);

/**
 * Returns whether another server may answer what this one did not: after an error of the connection,
 * and if the server is not available (14), too slow (4), or behind a proxy that fails.
 */
export function mayAskAnother(error: unknown): boolean {
  if (error instanceof LeadershipError || error instanceof OtherCluster) return false;
  return !(error instanceof ReplyError) || /^(4|14|http-5\d\d)$/.test(codeIn(error));
}

/** Returns whether a new token may help. */
export function isTokenOutdated(error: unknown): boolean {
  return (
    error instanceof ReplyError &&
    /invalid auth token|revision of auth store is old|user name is empty/.test(error.message)
  );
}
