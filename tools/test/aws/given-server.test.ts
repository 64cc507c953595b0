import { afterEach, describe, expect, it, vi } from 'vitest';
import { givenServer } from '../../src/aws/given-server.ts';

describe('the server that the environment names', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('is undefined without a variable', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', '');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', '');
    expect(givenServer('dynamodb')).toBeUndefined();
  });

  it('is that of the specific variable rather than that of the general one', () => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://all:1');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', 'http://own:2');
    vi.stubEnv('AWS_REGION', 'eu-west-1');
    expect(givenServer('dynamodb')).toMatchObject({
      url: 'http://own:2',
      environment: { AWS_REGION: 'eu-west-1' },
    });
    expect(givenServer('kinesis')).toMatchObject({
      url: 'http://all:1',
      environment: { AWS_ENDPOINT_URL_KINESIS: 'http://all:1' },
    });
  });
});
