// Certificates for tests, created at run time: the repository contains no secret, and no
// certificate expires.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** A certificate and its key, as PEM. */
export interface Certified {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority; `ca` is its own certificate. */
export interface Authority {
  readonly ca: string;
  /** Issues a certificate for that name. Default addresses: the name and 127.0.0.1. */
  certify(name: string, addresses?: readonly string[]): Certified;
}

/** Creates an authority that no member trusts yet. */
export function authority(name = 'authority'): Authority {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = nameOf(name);
  const ca = certificate({
    issuer,
    subject: issuer,
    of: pair.publicKey,
    by: pair.privateKey,
    extensions: [constraints(true)],
  });
  return {
    ca,
    certify(subject, addresses = [...(/^\w+$/.test(subject) ? [subject] : []), '127.0.0.1']) {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const extensions = [constraints(false), alternativeNames(addresses)];
      return {
        cert: certificate({
          issuer,
          subject: nameOf(subject),
          of: own.publicKey,
          by: pair.privateKey,
          extensions,
        }),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      };
    },
  };
}

interface Parts {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly of: KeyObject;
  readonly by: KeyObject;
  readonly extensions: readonly Buffer[];
}

const day = 86_400_000;

/**
 * Returns an X.509 version 3 certificate, valid from yesterday, because clocks differ, for a month.
 */
function certificate({ issuer, subject, of, by, extensions }: Parts): string {
  const algorithm = sequence(oid(1, 2, 840, 10_045, 4, 3, 2));
  const now = Date.now();
  const content = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    issuer,
    sequence(time(now - day), time(now + 30 * day)),
    subject,
    of.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', content, by);
  const whole = sequence(content, algorithm, der(0x03, Buffer.from([0]), signature));
  const lines = whole.toString('base64').replace(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function nameOf(commonName: string): Buffer {
  return sequence(der(0x31, sequence(oid(2, 5, 4, 3), der(0x0c, Buffer.from(commonName)))));
}

/** Whether the certificate may sign others. */
function constraints(isAuthority: boolean): Buffer {
  const yes = der(0x01, Buffer.from([0xff]));
  return sequence(oid(2, 5, 29, 19), yes, der(0x04, isAuthority ? sequence(yes) : sequence()));
}

function alternativeNames(addresses: readonly string[]): Buffer {
  const names = addresses.map((address) =>
    /^[\d.]+$/.test(address)
      ? der(0x87, Buffer.from(address.split('.').map(Number)))
      : der(0x82, Buffer.from(address)),
  );
  return sequence(oid(2, 5, 29, 17), der(0x04, sequence(...names)));
}

function time(at: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(at).toISOString().replace(/[-:T]|\..*/g, '')}Z`));
}

function oid(first: number, second: number, ...rest: readonly number[]): Buffer {
  const bytes = rest.flatMap((number) => {
    const groups = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return der(0x06, Buffer.from([40 * first + second, ...bytes]));
}

function sequence(...parts: readonly Uint8Array[]): Buffer {
  return der(0x30, ...parts);
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
