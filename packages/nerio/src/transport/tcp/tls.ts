// The option `tls` of the TCP transport, and its checks.
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
import { check } from '@leadership/core/adapter';
import { callGuarded, parseHostPort } from '@leadership/peer';
import type { TcpAddress } from './address.ts';

/** The certificates of a member, as PEM texts. */
export interface NerioTls {
  /**
   * This member's certificate, followed by intermediate certificates without the root. A client
   * compares it with the host that it connected to.
   */
  readonly cert: string | Buffer;
  /** The private key, in PEM. */
  readonly key: string | Buffer;
  /** The passphrase of the private key, if it has one. */
  readonly passphrase?: string;
  /**
   * The trusted issuers. Default: Node's root certificates, which is rarely right for a private
   * group.
   */
  readonly ca?: string | Buffer | readonly (string | Buffer)[];
  /** Whether clients, too, must show a certificate that `ca` has issued. Default `true`. */
  readonly mutual?: boolean;
  /**
   * Whether the certificate identifies the member of that name, for clients and servers. Default:
   * its subject alternative name is the member's name without the port.
   */
  readonly speaksFor?: (certificate: PeerCertificate, member: string) => boolean;
}

/** The options for Node. TLS 1.3 is enough, because every peer runs this code. */
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
 * Checks the types of all fields, for applications without TypeScript.
 * @throws LeadershipError `invalid-options`
 */
export function checkShape({
  cert,
  key,
  passphrase,
  ca,
  mutual,
  speaksFor: decide,
}: NerioTls): void {
  check([cert, key].every(isText), 'tls.cert and tls.key must be PEM texts');
  check([ca ?? []].flat().every(isText), 'tls.ca must be a PEM text, or several');
  check(
    passphrase === undefined || typeof passphrase === 'string',
    'tls.passphrase must be a text',
  );
  check(mutual === undefined || typeof mutual === 'boolean', 'tls.mutual must be true or false');
  check(decide === undefined || typeof decide === 'function', 'tls.speaksFor must be a function');
}

/**
 * Checks that certificate and key can be read and belong together.
 * @throws LeadershipError `invalid-options`
 */
export function checkTls(tls: NerioTls): void {
  try {
    createSecureContext(secureContextOf(tls));
  } catch (error) {
    throw new LeadershipError(
      'invalid-options',
      `tls does not work: ${error instanceof Error ? error.message : error}`,
      { cause: error },
    );
  }
}

function isText(value: unknown): boolean {
  return (typeof value === 'string' || Buffer.isBuffer(value)) && value.length > 0;
}

/** A hash of all fields that Node uses: the same for equal texts, whatever objects contain them. */
export function markOf({ cert, key, passphrase, ca, mutual }: NerioTls): string {
  const texts = [cert, key, passphrase, ...[ca ?? []].flat(), String(mutual ?? true)];
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text?.length} `).update(text ?? '');
  return hash.digest('hex');
}

/** A socket that is connecting, and the event that it emits when it is connected. */
export interface Dialled {
  readonly socket: Socket;
  readonly readyEvent: 'connect' | 'secureConnect';
}

/** Connects to that address. */
export function dial({ host, port }: TcpAddress, tls: NerioTls | undefined): Dialled {
  const isPlain = tls === undefined;
  const socket = isPlain
    ? connectPlain({ host, port })
    : connect({ host, port, ...secureContextOf(tls) });
  return { socket: socket.setNoDelay(true), readyEvent: isPlain ? 'connect' : 'secureConnect' };
}

/** Whether the certificate's subject alternative name is the member's name, without its port. */
function isNamed(certificate: PeerCertificate, member: string): boolean {
  return checkServerIdentity(parseHostPort(member)?.host ?? member, certificate) === undefined;
}

function hasCertificate(socket: Socket): boolean {
  return Object.keys((socket as TLSSocket).getPeerCertificate()).length > 0;
}

/**
 * Whether the certificate at the other end identifies that member; an error if `tls.speaksFor`
 * throws.
 */
export function speaksFor(
  tls: NerioTls | undefined,
  socket: Socket,
  member: string,
): boolean | Error {
  const { speaksFor: decide = isNamed } = tls ?? {};
  // Without TLS, or for a client that need not show a certificate, only its keys count.
  if (tls === undefined) return true;
  if (tls.speaksFor === undefined && !hasCertificate(socket)) return tls.mutual === false;
  const answer = callGuarded('tls.speaksFor', () =>
    decide((socket as TLSSocket).getPeerCertificate(), member),
  );
  return answer instanceof Error ? answer : answer === true;
}
