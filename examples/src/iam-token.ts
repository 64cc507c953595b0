// Passwords of AWS IAM for Redis on ElastiCache and Postgres on RDS: a URL that is signed with
// signature version 4, without its scheme. AWS accepts one for 15 minutes.
import { createHash, createHmac } from 'node:crypto';

/** Returns the current credentials, as `fromNodeProviderChain()` of `@aws-sdk/credential-providers`. */
export type Credentials = () => Promise<{
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}>;

/** A request that a token stands for. For ElastiCache, `host` is the name of the cache. */
export interface TokenRequest {
  readonly service: string;
  readonly host: string;
  readonly region: string;
  readonly user: Readonly<Record<string, string>>;
}

/** Returns a token that is valid for 15 minutes. */
export async function iamToken(
  { service, host, region, user }: TokenRequest,
  credentials: Credentials,
  now: Date = new Date(),
): Promise<string> {
  const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const query = Object.entries({
    Action: 'connect',
    ...user,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': '900',
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': 'host',
  })
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const signed = ['GET', '/', query, `host:${host}`, '', 'host', sha256('')].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(signed)].join('\n');
  const key = scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretAccessKey}`);
  return `${host}/?${query}&X-Amz-Signature=${hmac(key, text).toString('hex')}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
