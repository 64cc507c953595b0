// Explains the errors of connections to the operator of the members.
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';
import type { Displacer, Drop } from '../transport.ts';

type Meaning = readonly [code: LeadershipErrorCode, sentence: string];

const otherKeys =
  'does not accept the key or the certificate of this member: every member must accept the signing key of every other one, and trust the issuer of its certificate';

/** The reason that the peer itself gave for its refusal. */
const refusals: Partial<Readonly<Record<Drop, Meaning>>> = {
  forged: ['unauthorized', otherKeys],
  'wrong-version': [
    'misconfigured-backend',
    'speaks another version of the protocol: run the same release everywhere',
  ],
  'wrong-group': ['misconfigured-backend', 'belongs to another group: check the address'],
  misdirected: ['misconfigured-backend', 'has another member name: check the address'],
  flood: ['unreachable', 'accepts no more connections at the moment'],
  malformed: ['unreachable', 'does not understand this member: run the same release everywhere'],
};

/** The fault in the peer's answer. */
const answers: Partial<Readonly<Record<Drop, Meaning>>> = {
  ...refusals,
  forged: [
    'unauthorized',
    'is not the member that it claims to be, or signs with a key that is not in keys.accept here',
  ],
  malformed: ['misconfigured-backend', 'does not answer like a member: check the address'],
  oversized: ['misconfigured-backend', 'does not answer like a member: check the address'],
};

/** The peer refused the connection. */
export function refusalError(to: string, why: Drop): LeadershipError {
  return errorOf(to, refusals[why] ?? ['unreachable', `ended the connection: ${why}`]);
}

/** The peer's answer was dropped. */
export function answerError(to: string, why: Drop): LeadershipError {
  return errorOf(to, answers[why] ?? ['unreachable', `sent a message that was dropped: ${why}`]);
}

/** The peer has another pin (R3). */
export function pinError(to: string, difference: string): LeadershipError {
  return new LeadershipError(
    'partitions-differ',
    `member "${to}" has another configuration: ${difference}`,
  );
}

/** A member that has met another process of this member's name. */
export function displacedError(to: string, { incarnation }: Displacer): LeadershipError {
  return errorOf(to, [
    'displaced',
    `has ended the connection, because incarnation ${incarnation} has this member's name too`,
  ]);
}

function errorOf(to: string, [code, sentence]: Meaning): LeadershipError {
  return new LeadershipError(code, `member "${to}" ${sentence}`);
}

/** Node's codes of certificate errors. */
const certificate = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO)/;

/** The socket failed. */
export function socketError(to: string, error: Error): LeadershipError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const meaning: Meaning = certificate.test(code)
    ? [
        'unauthorized',
        `has a certificate that this member does not trust, or does not trust this member's: ${error.message}`,
      ]
    : ['unreachable', `cannot be reached: ${error.message}`];
  const [kind, sentence] = meaning;
  return new LeadershipError(kind, `member "${to}" ${sentence}`, { cause: error });
}

/** The server cannot listen. */
export function listenError(error: Error): LeadershipError {
  return new LeadershipError(
    'unreachable',
    `this member cannot listen, so no other member can connect to it: ${error.message}`,
    {
      cause: error,
    },
  );
}

/** The `listening` callback failed. */
export function listeningFailed(error: Error): LeadershipError {
  return new LeadershipError(
    'unreachable',
    `the address on which this member listens was not reported: ${error.message}`,
    {
      cause: error,
    },
  );
}

/** `speaksFor` failed, so inbound connections are refused. */
export function speaksForFailed(error: Error): LeadershipError {
  return new LeadershipError('unauthorized', `inbound connections are refused: ${error.message}`, {
    cause: error,
  });
}
