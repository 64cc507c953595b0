import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { differenceOf, regionOfArn, regionOfHost } from '../../src/client/regions.ts';
import { type KinesisOptions, kinesisLeadership, openKinesisLeadership } from '../../src/index.ts';

const [here, there] = ['eu-west-1', 'us-east-1'];
const credentials = { accessKeyId: 'a', secretAccessKey: 'b' };
const right = { group: 'billing', table: 'leases', partitions: 1 };
const tableArn = `arn:aws:dynamodb:${there}:123456789012:table/leases`;
const streamArn = `arn:aws:kinesis:${there}:123456789012:stream/orders`;
const bothRegions = expect.stringMatching(new RegExp(`(${here}.*${there}|${there}.*${here})`));

/** Creates a request handler that records the host of each request, and fails it. */
function recorder() {
  const hosts: string[] = [];
  const handle = async ({ hostname }: { readonly hostname: string }): Promise<never> => {
    hosts.push(hostname);
    throw Object.assign(new Error('this was sent'), { name: 'Sent' });
  };
  return { hosts, requestHandler: { handle } as never };
}

describe('a region that differs', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each<[string, Partial<KinesisOptions>]>([
    ['the ARN of the table', { region: here, table: tableArn }],
    ['the ARN of the stream', { region: here, stream: streamArn }],
    ['the region of `dynamodb`', { region: here, dynamodb: { region: there } }],
    ['the region of `kinesis`', { region: here, stream: 'orders', kinesis: { region: there } }],
    [
      'the endpoint of `dynamodb`',
      { region: here, dynamodb: { endpoint: `https://dynamodb.${there}.amazonaws.com` } },
    ],
    [
      'the endpoint of `kinesis`',
      {
        stream: 'orders',
        dynamodb: { region: here },
        kinesis: { endpoint: `https://kinesis.${there}.api.aws` },
      },
    ],
    ['the ARN of the stream', { table: tableArn.replace(there, here), stream: streamArn }],
    ['the option `homeRegion`', { region: there, homeRegion: here }],
  ])('is rejected with both values before anything connects: %s', (by, options) => {
    expect(() => kinesisLeadership({ ...right, ...options })).toThrow(
      expect.objectContaining({ code: 'invalid-options', message: bothRegions }),
    );
    expect(() => kinesisLeadership({ ...right, ...options })).toThrow(by);
  });

  it.each<[string, (handler: never) => Partial<KinesisOptions>]>([
    [
      'a ready client',
      (requestHandler) => ({
        dynamodb: new DynamoDBClient({ region: there, credentials, requestHandler }),
      }),
    ],
    [
      'a computed region',
      (requestHandler) => ({
        dynamodb: { region: async () => there, credentials, requestHandler },
      }),
    ],
    [
      'a computed endpoint',
      (requestHandler) => ({
        dynamodb: {
          endpoint: async () => ({
            protocol: 'https:',
            hostname: `dynamodb.${there}.amazonaws.com`,
            path: '/',
          }),
          credentials,
          requestHandler,
        },
      }),
    ],
  ])('makes ready() reject with both values, and nothing is sent: %s', async (_what, dynamodb) => {
    const { hosts, requestHandler } = recorder();
    await using source = kinesisLeadership({ ...right, region: here, ...dynamodb(requestHandler) });
    await expect(source.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: bothRegions,
    });
    expect(hosts).toEqual([]);
  });

  it('is refused if the environment sets an endpoint there', async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', `https://dynamodb.${there}.amazonaws.com`);
    const { hosts, requestHandler } = recorder();
    await using source = kinesisLeadership({
      ...right,
      region: here,
      dynamodb: { credentials, requestHandler },
    });
    await expect(source.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: bothRegions,
    });
    expect(hosts).toEqual([]);
  });

  it.each<[string, Partial<KinesisOptions>]>([
    ['beside the region', { region: here }],
    ['beside the table’s client', {}],
  ])('is refused if the stream’s client uses it: %s', async (_what, options) => {
    const { hosts, requestHandler } = recorder();
    const dynamodb = { region: here, credentials, requestHandler };
    const kinesis = new KinesisClient({ region: there, credentials, requestHandler });
    const { partitions: _, ...uncounted } = right;
    const create = true;
    const opening = openKinesisLeadership({
      ...uncounted,
      ...options,
      create,
      stream: 'orders',
      kinesis,
      dynamodb: answering(dynamodb),
    });
    await expect(opening).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: bothRegions,
    });
    expect(hosts).toEqual([]);
  });

  it('is not reported if all settings agree', async () => {
    const { hosts, requestHandler } = recorder();
    const table = tableArn.replace(there, here);
    const dynamodb = {
      region: here,
      endpoint: `https://dynamodb.${here}.amazonaws.com`,
      credentials,
      requestHandler,
    };
    await using source = kinesisLeadership({
      ...right,
      region: here,
      homeRegion: here,
      table,
      dynamodb,
    });
    await expect.poll(() => hosts.length).toBeGreaterThan(0);
    expect(
      source
        .health()
        .troubles.map(({ message }) => message)
        .join(),
    ).not.toContain('names region');
  });
});

/** A table that does not exist yet. */
function answering(config: object): object {
  const body = Buffer.from(
    JSON.stringify({ __type: 'com.amazonaws#ResourceNotFoundException', message: 'none' }),
  );
  const response = {
    statusCode: 400,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body,
  };
  return { ...config, requestHandler: { handle: async () => ({ response }) } };
}

describe('a region is derived from', () => {
  it.each([
    ['dynamodb.eu-west-1.amazonaws.com', 'eu-west-1'],
    ['123456789012.ddb.us-gov-west-1.amazonaws.com', 'us-gov-west-1'],
    ['dynamodb-fips.us-east-1.api.aws', 'us-east-1'],
    ['kinesis.cn-north-1.amazonaws.com.cn', 'cn-north-1'],
    ['vpce-0a1b-2c3d.kinesis.eu-west-1.vpce.amazonaws.com', 'eu-west-1'],
    ['localhost', undefined],
    ['dynamodb.eu-west-1.example.org', undefined],
  ])('the host %s: %s', (host, region) => expect(regionOfHost(host)).toBe(region));

  it('an ARN, but not from a name', () => {
    expect(regionOfArn(tableArn)).toBe(there);
    expect(regionOfArn('leases')).toBeUndefined();
    expect(differenceOf([{ by: 'a', region: undefined }])).toBeUndefined();
  });
});

describe('a URL without a region', () => {
  it('uses the region of the client, as from AWS_REGION', async () => {
    vi.stubEnv('AWS_REGION', there);
    const { parseAddress } = await import('@leadership/core/internal');
    const { backend } = await import('../../src/index.ts');
    const { hosts, requestHandler } = recorder();
    for (const url of [
      'kinesis:?group=billing&table=leases',
      'kinesis:///orders?group=billing&table=leases&partitions=1',
    ]) {
      const options = { dynamodb: { credentials, requestHandler } } as object;
      await using _source = await backend.open(parseAddress(url, backend.parameters), options);
      await expect.poll(() => hosts).toContain(`dynamodb.${there}.amazonaws.com`);
      hosts.length = 0;
    }
    vi.unstubAllEnvs();
  });
});
