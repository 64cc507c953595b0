import { LeadershipError } from '@leadership/core';
import { describe, expect, it, vi } from 'vitest';
import { awsError, isThrottled } from '../src/errors.ts';
import { kinesisLeadership } from '../src/index.ts';

const asked = {
  action: 'dynamodb:PutItem',
  kind: 'table',
  name: 'leases',
  region: 'eu-west-1',
} as const;
const named = (name: string, more: object = {}): Error =>
  Object.assign(new Error('the message of AWS'), { name }, more);

describe('an AWS error', () => {
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
  ])('%s maps to %s, names the table and the region, and keeps its cause', (name, code) => {
    const cause = named(name);
    const error = awsError(cause, asked);
    expect(error).toMatchObject({ code, cause });
    expect(error.message).toMatch(/^table "leases" in eu-west-1: /);
  });

  it('names the denied action and the policy statement that allows it', () => {
    const { message } = awsError(named('AccessDeniedException'), asked);
    expect(message).toContain('dynamodb:PutItem is denied');
    const statement = JSON.parse(
      message.slice(message.indexOf('{'), message.indexOf('}') + 1),
    ) as unknown;
    expect(statement).toEqual({
      Effect: 'Allow',
      Action: 'dynamodb:PutItem',
      Resource: 'arn:aws:dynamodb:eu-west-1:*:table/leases',
    });
    const arn = 'arn:aws:dynamodb:eu-west-1:123456789012:table/leases';
    expect(awsError(named('AccessDeniedException'), { ...asked, name: arn }).message).toContain(
      `"Resource":"${arn}"`,
    );
  });

  it('keeps the message of the service, which names the principal, the policy and the resource', () => {
    const said = Object.assign(new Error('User: arn:aws:iam::1:user/u is not authorized'), {
      name: 'AccessDeniedException',
    });
    expect(awsError(said, asked).message).toMatch(
      /\. The service says: User: arn:aws:iam::1:user\/u is not authorized$/,
    );
    expect(
      awsError(Object.assign(new Error('AccessDenied'), { name: 'AccessDenied' }), asked).message,
    ).not.toContain('The service says');
  });

  it('is unreachable if only the wall clock made the signature wrong', () => {
    const corrected = named('InvalidSignatureException', {
      $metadata: { clockSkewCorrected: true },
    });
    expect(awsError(corrected, asked)).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('clock'),
    });
  });

  it('is misconfigured-backend if no region is set', async () => {
    vi.stubEnv('AWS_REGION', undefined);
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'])
      vi.stubEnv(name, '/nowhere');
    const dynamodb = { credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
    await using source = kinesisLeadership({
      group: 'billing',
      table: 'leases',
      partitions: 1,
      dynamodb,
    });
    await expect(source.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('AWS_REGION'),
    });
    vi.unstubAllEnvs();
  });

  it('is unreachable and names the region if the host does not exist', () => {
    const nowhere = named('Error', {
      code: 'ENOTFOUND',
      hostname: 'dynamodb.eu-nowhere-9.amazonaws.com',
    });
    expect(awsError(nowhere, { ...asked, region: 'eu-nowhere-9' })).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(
        /host dynamodb\.eu-nowhere-9\.amazonaws\.com does not exist: correct the region eu-nowhere-9/,
      ),
    });
  });

  it('that is already mapped is returned unchanged, and a thrown value that is not an error is reported', () => {
    const error = new LeadershipError('closed', 'x');
    expect(awsError(error, asked)).toBe(error);
    expect(awsError('a thrown text', asked)).toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('a thrown text'),
    });
    expect(awsError(undefined, asked).code).toBe('unreachable');
  });

  it('is recognized as throttling', () => {
    expect(isThrottled(named('ThrottlingException'))).toBe(true);
    expect(isThrottled(named('AccessDeniedException'))).toBe(false);
    expect(isThrottled(undefined)).toBe(false);
  });
});
