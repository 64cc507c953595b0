import { describe, expect, it } from 'vitest';
import { iamToken } from '../src/iam-token.ts';
import { onElastiCache } from '../src/on-elasticache.ts';
import { onRds } from '../src/on-rds.ts';

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' };
const at = new Date('2026-01-02T03:04:05.678Z');

describe('a token of IAM', () => {
  it('is the one that the SDK of AWS signs', async () => {
    const request = { service: 'elasticache', host: 'my-cache', user: { User: 'app' } };
    const credentials = async () => ({ ...keys, sessionToken: 'a/b+c=' });
    const token = await iamToken({ ...request, region: 'eu-west-1' }, credentials, at);
    // By SignatureV4.presign of @smithy/signature-v4, with the same request, keys and time.
    expect(token.split('&')).toEqual([
      'my-cache/?Action=connect',
      'User=app',
      'X-Amz-Algorithm=AWS4-HMAC-SHA256',
      'X-Amz-Credential=AKIDEXAMPLE%2F20260102%2Feu-west-1%2Felasticache%2Faws4_request',
      'X-Amz-Date=20260102T030405Z',
      'X-Amz-Expires=900',
      'X-Amz-Security-Token=a%2Fb%2Bc%3D',
      'X-Amz-SignedHeaders=host',
      'X-Amz-Signature=c9b630e4d399be1eb0576715e15e1d739cf2d28ce8f9a8a60477532991e2a1cf',
    ]);
  });

  it.each([onElastiCache, onRds])('is accepted as a password: %o', async (open) => {
    await using source = open(() => Promise.resolve(keys));
    expect(source.guarantees.exclusive).toBe(true);
  });
});
