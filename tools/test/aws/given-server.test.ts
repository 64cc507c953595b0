import { afterEach, describe, expect, it, vi } from 'vitest';
import { givenServer } from '../../src/aws/given-server.ts';

describe('a server that the environment names', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is none where it names none', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', '');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '');
    expect(givenServer('dynamodb')).toBeUndefined();
  });

  it('is the service’s own rather than that of all', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://all:1');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://own:2');
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    expect(givenServer('dynamodb')).toMatchObject({ url: 'http://own:2', environment: { AWS_REGION: 'eu-west-1' } });
    expect(givenServer('kinesis')).toMatchObject({ url: 'http://all:1', environment: { AWS_ENDPOINT_URL_KINESIS: 'http://all:1' } });
  });
});
