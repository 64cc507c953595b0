import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A self-signed certificate, its key, and the files of both. */
export interface Certificate {
  readonly pem: string;
  readonly keyPem: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * Creates a self-signed certificate in the directory, for servers and clients. `host` is what it names:
 * `DNS:` and a name, or `IP:` and an address.
 */
export async function makeCertificate(
  directory: string,
  name: string,
  subject: string = '/O=leadership',
  host: string = 'DNS:localhost',
): Promise<Certificate> {
  const [key, cert] = [join(directory, `${name}.key`), join(directory, `${name}.pem`)];
  const kind = ['-x509', '-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  const names = ['-subj', subject, '-addext', `subjectAltName=${host}`];
  const files = ['-keyout', key, '-out', cert];
  await promisify(execFile)('openssl', ['req', ...kind, '-days', '2', ...names, ...files]);
  return { pem: await readFile(cert, 'utf8'), keyPem: await readFile(key, 'utf8'), cert, key };
}
