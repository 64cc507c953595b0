// What a connection that fails means to whoever runs the members, said once.
import { LeadershipError, type LeadershipErrorCode } from '@leadership/core';
import type { Drop, Namesake } from '../transport.ts';

type Meaning = readonly [code: LeadershipErrorCode, sentence: string];

const otherKeys =
  'does not accept the key or the certificate of this member: all must accept the key that each signs with, and trust who signs certificates';

/** Why it does not answer, by its own word. */
const refusals: Partial<Readonly<Record<Drop, Meaning>>> = {
  forged: ['unauthorized', otherKeys],
  'wrong-version': ['misconfigured-backend', 'speaks another version of the protocol: run the same release everywhere'],
  'wrong-group': ['misconfigured-backend', 'is of another group: the address belongs to somebody else'],
  misdirected: ['misconfigured-backend', 'goes by another name: the address belongs to somebody else'],
  flood: ['unreachable', 'takes no more connections just now'],
  malformed: ['unreachable', 'does not understand this member: run the same release everywhere'],
};

/** What is wrong with its answer. */
const answers: Partial<Readonly<Record<Drop, Meaning>>> = {
  ...refusals,
  forged: ['unauthorized', 'is not who it says, or signs with a key that is not in keys.accept here'],
  malformed: ['misconfigured-backend', 'answers what no member would: the address belongs to something else'],
  oversized: ['misconfigured-backend', 'answers what no member would: the address belongs to something else'],
};

/** A member that has not taken a call, or has said why. */
export function refusalError(to: string, why: Drop): LeadershipError {
  return errorOf(to, refusals[why] ?? ['unreachable', `has ended the connection: ${why}`]);
}

/** A member whose answer was dropped. */
export function answerError(to: string, why: Drop): LeadershipError {
  return errorOf(to, answers[why] ?? ['unreachable', `has said what was dropped: ${why}`]);
}

/** A member of another pin (R3). */
export function pinError(to: string, difference: string): LeadershipError {
  return new LeadershipError('partitions-differ', `member "${to}" is configured otherwise: ${difference}`);
}

/** A member that has met another process of this member's name. */
export function displacedError(to: string, { incarnation }: Namesake): LeadershipError {
  return errorOf(to, ['displaced', `has ended the connection, because incarnation ${incarnation} has this member's name too`]);
}

function errorOf(to: string, [code, sentence]: Meaning): LeadershipError {
  return new LeadershipError(code, `member "${to}" ${sentence}`);
}

/** Node's names for certificates that do not fit. */
const certificate = /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|EPROTO)/;

/** A socket that failed. */
export function socketError(to: string, error: Error): LeadershipError {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const meaning: Meaning = certificate.test(code)
    ? ['unauthorized', `cannot be trusted, or does not trust this one: ${error.message}`]
    : ['unreachable', `cannot be reached: ${error.message}`];
  const [kind, sentence] = meaning;
  return new LeadershipError(kind, `member "${to}" ${sentence}`, { cause: error });
}

/** Listening failed. */
export function listenError(error: Error): LeadershipError {
  return new LeadershipError('unreachable', `this member cannot listen, and nobody can call it: ${error.message}`, { cause: error });
}

/** Who relies on being told where this member listens was not. */
export function toldInVain(error: Error): LeadershipError {
  return new LeadershipError('unreachable', `who has to know where this member listens does not, as ${error.message}`, { cause: error });
}

/** Callers are sent away because nobody says whether their certificates are good. */
export function unjudged(error: Error): LeadershipError {
  return new LeadershipError('unauthorized', `callers are sent away, as ${error.message}`, { cause: error });
}
