import { createHash } from 'node:crypto';
import { connect as connectPlain, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect,
  createSecureContext,
  type PeerCertificate,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls';
import { LeadershipError } from '@leadership/core';
import { answerOf } from '../../callback.ts';
import { parseTcpAddress, type TcpAddress } from './address.ts';

/** Certificates of a member: PEM texts. */
export interface NerioTls {
  /** This member's certificate, with whatever it is signed by but the root. Whoever calls checks the host it called against it. */
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly passphrase?: string;
  /** Whom to trust. Default: the roots that Node brings, which is hardly ever right. */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
  /** Whether callers must show a certificate that `ca` has signed, too. Default `true`. */
  readonly mutual?: boolean;
  /**
   * Whether that certificate may speak for the member of that name, on either side. Default: one whose subject alternative name is the
   * member's name, without its port.
   */
  readonly speaksFor?: (certificate: PeerCertificate, member: string) => boolean;
}

/** What Node needs to know of it. Older versions of TLS are nobody's: every member is one of us. */
export function secureContextOf({ cert, key, passphrase, ca }: NerioTls): SecureContextOptions {
  return {
    cert,
    key,
    minVersion: 'TLSv1.3',
    ...(passphrase !== undefined && { passphrase }),
    ...(ca !== undefined && { ca: typeof ca === 'string' || Buffer.isBuffer(ca) ? ca : [...ca] }),
  };
}

/**
 * Checks that everything is there, and what it should be: for callers without types.
 * @throws LeadershipError `invalid-options`
 */
export function checkShape({ cert, key, passphrase, ca, mutual, speaksFor: judge }: NerioTls): void {
  check([cert, key].every(isText), 'tls.cert and tls.key must be PEM texts');
  check([ca ?? []].flat().every(isText), 'tls.ca must be a PEM text, or several');
  check(passphrase === undefined || typeof passphrase === 'string', 'tls.passphrase must be a text');
  check(mutual === undefined || typeof mutual === 'boolean', 'tls.mutual must be true or false');
  check(judge === undefined || typeof judge === 'function', 'tls.speaksFor must be a function');
}

/**
 * Checks that certificate and key belong together, and can be read.
 * @throws LeadershipError `invalid-options`
 */
export function checkTls(tls: NerioTls): void {
  try {
    createSecureContext(secureContextOf(tls));
  } catch (error) {
    throw new LeadershipError('invalid-options', `tls does not work: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function isText(value: unknown): boolean {
  return (typeof value === 'string' || Buffer.isBuffer(value)) && value.length > 0;
}

function check(holds: boolean, sentence: string): void {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}

/** Stands for all of it that Node looks at: the same for equal texts, whatever objects they are in. */
export function markOf({ cert, key, passphrase, ca, mutual }: NerioTls): string {
  const texts = [cert, key, passphrase, ...[ca ?? []].flat(), String(mutual ?? true)];
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text?.length} `).update(text ?? '');
  return hash.digest('hex');
}

/** A socket on its way to that address, and the event that says that it is there. */
export interface Dialled {
  readonly socket: Socket;
  readonly readyEvent: 'connect' | 'secureConnect';
}

/** Calls that address. */
export function dial({ host, port }: TcpAddress, tls: NerioTls | undefined): Dialled {
  const isPlain = tls === undefined;
  const socket = isPlain ? connectPlain({ host, port }) : connect({ host, port, ...secureContextOf(tls) });
  return { socket: socket.setNoDelay(true), readyEvent: isPlain ? 'connect' : 'secureConnect' };
}

/** Whether the certificate's subject alternative name is the member's name, without its port. */
function isNamed(certificate: PeerCertificate, member: string): boolean {
  return checkServerIdentity(parseTcpAddress(member)?.host ?? member, certificate) === undefined;
}

function hasCertificate(socket: Socket): boolean {
  return Object.keys((socket as TLSSocket).getPeerCertificate()).length > 0;
}

/** Whether whoever is at the other end may speak for that member; an error where `tls.speaksFor` does not say. */
export function speaksFor(tls: NerioTls | undefined, socket: Socket, member: string): boolean | Error {
  const { speaksFor: judge = isNamed } = tls ?? {};
  // Whoever shows no certificate, where none is asked for, is judged by its keys alone.
  if (tls === undefined) return true;
  if (tls.speaksFor === undefined && !hasCertificate(socket)) return tls.mutual === false;
  const verdict = answerOf('tls.speaksFor', () => judge((socket as TLSSocket).getPeerCertificate(), member));
  return verdict instanceof Error ? verdict : verdict === true;
}
