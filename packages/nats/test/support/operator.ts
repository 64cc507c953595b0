// Accounts and users of an operator, as `nsc` issues them: signed tokens that name keys and rights.
import { randomUUID } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** An operator with one account, whose users the server knows by their tokens alone. */
export interface Operator {
  /** The lines of the configuration of the server. */
  readonly lines: readonly string[];
  /** Returns the content of a credentials file for a new user. */
  credentials(rights?: UserRights): string;
}

/** What a user may do. Default: everything in its account. */
interface UserRights {
  readonly publish?: readonly string[];
  readonly subscribe?: readonly string[];
  /** When the token expires, as seconds of Unix time. Default: never. */
  readonly expiresAt?: number;
}

/** The limits of an account that has none. */
const unlimited = {
  subs: -1,
  conn: -1,
  leaf: -1,
  imports: -1,
  exports: -1,
  data: -1,
  payload: -1,
  wildcards: true,
  mem_storage: -1,
  disk_storage: -1,
  streams: -1,
  consumer: -1,
};

/** Creates an operator, its account and its system account. */
export function newOperator(): Operator {
  const operator = nkeys.createOperator();
  const [account, system] = [nkeys.createAccount(), nkeys.createAccount()];
  const accountToken = (key: KeyPair, name: string, limits: object): string =>
    signed(operator, { sub: key.getPublicKey(), name, nats: { type: 'account', limits } });
  const {
    mem_storage: _,
    disk_storage: __,
    streams: ___,
    consumer: ____,
    ...noStreams
  } = unlimited;
  const accounts = {
    [account.getPublicKey()]: accountToken(account, 'APP', unlimited),
    [system.getPublicKey()]: accountToken(system, 'SYS', noStreams),
  };
  const own = { sub: operator.getPublicKey(), name: 'O', nats: { type: 'operator' } };
  return {
    lines: [
      `operator: ${signed(operator, own)}`,
      `system_account: ${system.getPublicKey()}`,
      'resolver: MEMORY',
      `resolver_preload: ${JSON.stringify(accounts)}`,
    ],
    credentials({ publish, subscribe, expiresAt } = {}) {
      const user = nkeys.createUser();
      const token = signed(account, {
        sub: user.getPublicKey(),
        name: 'member',
        ...(expiresAt !== undefined && { exp: expiresAt }),
        nats: {
          type: 'user',
          subs: -1,
          data: -1,
          payload: -1,
          pub: publish === undefined ? {} : { allow: publish },
          sub: subscribe === undefined ? {} : { allow: subscribe },
        },
      });
      return [
        '-----BEGIN NATS USER JWT-----',
        token,
        '------END NATS USER JWT------',
        '',
        '-----BEGIN USER NKEY SEED-----',
        new TextDecoder().decode(user.getSeed()),
        '------END USER NKEY SEED------',
        '',
      ].join('\n');
    },
  };
}

interface Claims {
  /** The public key that the token is about. */
  readonly sub: string;
  readonly name: string;
  readonly exp?: number;
  readonly nats: object;
}

function signed(issuer: KeyPair, { nats, ...claims }: Claims): string {
  const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const payload = {
    ...claims,
    jti: randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    nats: { ...nats, version: 2 },
  };
  const text = `${encoded({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encoded(payload)}`;
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`;
}
