// Maps the errors of NATS, of TLS and of the connection to this library's errors.
import { type ErrorMapper, type ErrorMeaning, errorMapper } from '@leadership/core/adapter';

/** An error that a server has answered. The connection can go on. */
export class ReplyError extends Error {
  /** The code of JetStream; `no-responders` if no server takes the request. */
  readonly code: number | 'no-responders';

  constructor(code: ReplyError['code'], message: string) {
    super(message);
    this.code = code;
  }

  /** Whether the row that a change was about is not at the expected revision. */
  get isRefusal(): boolean {
    return this.code === 10_071 || this.code === 10_164;
  }

  /** Whether the bucket does not exist. */
  get isMissing(): boolean {
    return this.code === 10_059;
  }
}

/** A reading through this connection was not of the present state. */
export class OutdatedReplica extends Error {}

const final = 'misconfigured-backend';
const meanings: readonly ErrorMeaning[] = [
  [/^10059 /, final, 'the bucket does not exist: create it, or set create'],
  [/^100(39|76) /, final, 'the account has no JetStream: enable it for the account'],
  [/^no-responders .*\$JS\.API/, 'unreachable', 'no server answers for JetStream: is it enabled?'],
  [
    /^no-responders /,
    'unreachable',
    'no server leads the bucket: most of its servers must be up and reach one another',
  ],
  [/^100(23|47) /, 'unreachable', 'the servers have no room left for JetStream: raise its limits'],
  [/maximum (bytes|messages)/, 'unreachable', 'the bucket is full: raise its limits'],
  [
    /Permissions Violation/,
    'unauthorized',
    'the user lacks a right: docs/reference/nats.md lists those of a member',
  ],
  [
    /authentication expired/i,
    'unauthorized',
    'the credentials have expired: make the option a function',
  ],
  [
    /Auth(entication|orization)/i,
    'unauthorized',
    'the server refuses the user: correct user and password, token or credentials',
  ],
  [/support 'tls'|'tls' is not available/, final, 'the server does not offer TLS: leave out tls'],
  [/bad (jwt|credentials|seed)|unable to parse|nkey/i, 'unauthorized', 'correct the credentials'],
  [/^ERR_OSSL_/, final, 'the certificates or the key in tls cannot be read: they must be PEM'],
  [/ALERT/, final, 'the server refuses the certificate of this client: set tls.cert and tls.key'],
  [/CERT|SIGNATURE/, final, 'the certificate of the server is not trusted: set tls.ca'],
];

/** Maps an error of NATS, of TLS or of the connection. */
export const natsError: ErrorMapper = errorMapper(meanings);
