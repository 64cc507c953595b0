// Creates the certificate with which brokers of tests serve TLS.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { javaProgram } from '../backends/java.ts';

/** A self-signed certificate for brokers on 127.0.0.1. */
export interface Certificate {
  /** The certificate in PEM format, which clients must trust. */
  readonly pem: string;
  /** The path of a PKCS 12 file with the key. */
  readonly keystore: string;
  readonly password: string;
}

/**
 * Creates a certificate in `folder`. It is valid from yesterday, because clocks differ, and for 30
 * days, which is longer than any test cluster runs.
 */
export async function makeCertificate(folder: string, signal?: AbortSignal): Promise<Certificate> {
  const keystore = join(folder, 'keystore.p12');
  const password = 'keystore-password';
  const keytool = async (...args: readonly string[]): Promise<string> => {
    const store = [
      '-alias',
      'broker',
      '-keystore',
      keystore,
      '-storetype',
      'PKCS12',
      '-storepass',
      password,
    ];
    const { stdout } = await promisify(execFile)(javaProgram('keytool'), [...args, ...store], {
      signal,
    });
    return stdout;
  };
  const names = ['-dname', 'CN=127.0.0.1', '-ext', 'SAN=IP:127.0.0.1,DNS:localhost'];
  await keytool(
    '-genkeypair',
    '-keyalg',
    'EC',
    '-groupname',
    'secp256r1',
    '-startdate',
    '-1d',
    '-validity',
    '30',
    ...names,
  );
  return { pem: await keytool('-exportcert', '-rfc'), keystore, password };
}
