import { LeadershipError } from '@leadership/core';
import { describe, expect, it, vi } from 'vitest';
import { awsError, isThrottled } from '../src/errors.ts';
import { kinesisLeadership } from '../src/index.ts';

const asked = { action: 'dynamodb:PutItem', kind: 'table', name: 'leases', region: 'eu-west-1' } as const;
const named = (name: string, more: object = {}): Error => Object.assign(new Error('as AWS says it'), { name }, more);

describe('an error of AWS', () => {
  it.each([
    ['AccessDeniedException', 'unauthorized'],
    ['UnrecognizedClientException', 'unauthorized'],
    ['InvalidSignatureException', 'unauthorized'],
    ['ExpiredTokenException', 'unauthorized'],
    ['CredentialsProviderError', 'unauthorized'],
    ['ResourceNotFoundException', 'misconfigured-backend'],
    ['ProvisionedThroughputExceededException', 'unreachable'],
    ['ThrottlingException', 'unreachable'],
    ['RequestTimeTooSkewed', 'unreachable'],
    ['ValidationException', 'misconfigured-backend'],
    ['SyntaxError', 'unreachable'],
    ['AbortError', 'unreachable'],
    ['InternalServerError', 'unreachable'],
    ['toString', 'unreachable'],
  ])('%s is %s, names the table and the region, and keeps its cause', (name, code) => {
    const cause = named(name);
    const error = awsError(cause, asked);
    expect(error).toMatchObject({ code, cause });
    expect(error.message).toMatch(/^table "leases" in eu-west-1: /);
  });

  it('names the action that is denied, and the statement that allows it', () => {
    const { message } = awsError(named('AccessDeniedException'), asked);
    expect(message).toContain('dynamodb:PutItem is denied');
    const statement = JSON.parse(message.slice(message.indexOf('{'), message.indexOf('}') + 1)) as unknown;
    expect(statement).toEqual({ Effect: 'Allow', Action: 'dynamodb:PutItem', Resource: 'arn:aws:dynamodb:eu-west-1:*:table/leases' });
    const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/leases';
    expect(awsError(named('AccessDeniedException'), { ...asked, name: arn }).message).toContain(`"Resource":"${arn}"`);
  });

  it('keeps the sentence of the service, which knows the principal, the policy and the resource', () => {
    const said = Object.assign(new Error('User: arn:aws:iam::1:user/u is not authorized'), { name: 'AccessDeniedException' });
    expect(awsError(said, asked).message).toMatch(/\. The service says: User: arn:aws:iam::1:user\/u is not authorized$/);
    expect(awsError(Object.assign(new Error('AccessDenied'), { name: 'AccessDenied' }), asked).message).not.toContain('The service says');
  });

  it('of a signature that only the wall clock made wrong is one that time mends', () => {
    const corrected = named('InvalidSignatureException', { $metadata: { clockSkewCorrected: true } });
    expect(awsError(corrected, asked)).toMatchObject({ code: 'unreachable', message: expect.stringContaining('clock') });
  });

  it('of a client that was given no region is one that only a person can mend', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/nowhere');
    const dynamodb = { credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
    await using source = kinesisLeadership({ group: 'billing', table: 'leases', partitions: 1, dynamodb });
    await expect(source.ready()).rejects.toMatchObject({ code: 'misconfigured-backend', message: expect.stringContaining('AWS_REGION') });
    vi.unstubAllEnvs();
  });

  it('of a host that nobody knows may be the region’s, and is waited for all the same', () => {
    const nowhere = named('Error', { code: 'ENOTFOUND', hostname: 'dynamodb.eu-nowhere-9.amazonaws.com' });
    expect(awsError(nowhere, { ...asked, region: 'eu-nowhere-9' })).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/no host dynamodb\.eu-nowhere-9\.amazonaws\.com: correct the region, if eu-nowhere-9 is none/),
    });
  });

  it('that is mapped already passes, and what is no error at all is told', () => {
    const error = new LeadershipError('closed', 'x');
    expect(awsError(error, asked)).toBe(error);
    expect(awsError('as it is', asked)).toMatchObject({ code: 'unreachable', message: expect.stringContaining('as it is') });
    expect(awsError(undefined, asked).code).toBe('unreachable');
  });

  it('is a throttling or not', () => {
    expect(isThrottled(named('ThrottlingException'))).toBe(true);
    expect(isThrottled(named('AccessDeniedException'))).toBe(false);
    expect(isThrottled(undefined)).toBe(false);
  });
});
