// Maps the errors of NATS, of TLS and of the connection to this library's errors.
import {
  type ErrorMapper,
  type ErrorMeaning,
  errorMapper,
  ReplyError,
  tlsMeanings,
} from '@leadership/core/adapter';
import { errors } from '@nats-io/transport-node';

/** Returns whether the server has answered with one of these codes of JetStream. */
export function hasCode(error: unknown, ...codes: readonly number[]): boolean {
  return error instanceof ReplyError && codes.some((code) => code === error.code);
}

/**
 * Returns whether the connection can go on: the server has answered, but not that it has removed the consumer
 * of the member, or says that nobody answers.
 */
export function keepsConnection(error: unknown): boolean {
  const isUnheard = error instanceof errors.RequestError && error.isNoResponders();
  return isUnheard || (error instanceof ReplyError && !hasCode(error, 10_014));
}

/** A reading through this connection was not of the present state. */
export class OutdatedReplica extends Error {}

const final = 'misconfigured-backend';
const meanings: readonly ErrorMeaning[] = [
  // A server may say so that is only about to keep the bucket. It is opened again, which says it for good.
  [/^10059 /, 'unknown-group', 'the bucket does not exist, or not on all its servers yet'],
  [/^100(39|76) /, final, 'the account has no JetStream: enable it for the account'],
  [/no responders: '\$JS\.API/, 'unreachable', 'no server answers for JetStream: is it enabled?'],
  [/^10014 /, 'unreachable', 'the consumer of this member was removed'],
  [/no responders/, 'unreachable', 'no server leads the bucket: most of them must be connected'],
  [/^100(23|47) /, 'unreachable', 'the servers have no room left for JetStream: raise its limits'],
  [/maximum (bytes|messages)/, 'unreachable', 'the bucket is full: raise its limits'],
  [/Permissions Violation/, 'unauthorized', 'the user lacks a right: see docs/reference/nats.md'],
  [/authentication expired/i, 'unauthorized', 'the credentials have expired: make them a function'],
  [
    /Auth(entication|orization)/i,
    'unauthorized',
    'the server refuses the user: correct user and password, token or credentials',
  ],
  [/support 'tls'|'tls' is not available/, final, 'the server does not offer TLS: leave out tls'],
  [/bad (jwt|credentials|seed)|unable to parse|nkey/i, 'unauthorized', 'correct the credentials'],
  ...tlsMeanings(),
];

/** Maps an error of NATS, of TLS or of the connection. */
export const natsError: ErrorMapper = errorMapper(meanings);
