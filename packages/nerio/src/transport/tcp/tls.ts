import { connect as connectPlain, type Socket } from 'node:net';
import { connect, createSecureContext, type PeerCertificate, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { LeadershipError } from '@leadership/core';
import { answerOf } from '../../callback.ts';
import type { TcpAddress } from './address.ts';

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
  /** Whether that certificate may speak for the member of that name, on either side. Default: any that `ca` has signed may for anyone. */
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
 * Checks that certificate and key are there, belong together, and can be read.
 * @throws LeadershipError `invalid-options`
 */
export function checkTls(tls: NerioTls): void {
  for (const [name, text] of Object.entries({ cert: tls.cert, key: tls.key })) {
    if (!isText(text)) throw new LeadershipError('invalid-options', `tls does not work: tls.${name} must be a PEM text`);
  }
  try {
    createSecureContext(secureContextOf(tls));
  } catch (error) {
    throw new LeadershipError('invalid-options', `tls does not work: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

function isText(value: unknown): boolean {
  return (typeof value === 'string' || Buffer.isBuffer(value)) && value.length > 0;
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

/** Whether whoever is at the other end may speak for that member; an error where `tls.speaksFor` does not say. */
export function speaksFor(tls: NerioTls | undefined, socket: Socket, member: string): boolean | Error {
  const { speaksFor: judge } = tls ?? {};
  if (judge === undefined) return true;
  const verdict = answerOf('tls.speaksFor', () => judge((socket as TLSSocket).getPeerCertificate(), member));
  return verdict instanceof Error ? verdict : verdict === true;
}
