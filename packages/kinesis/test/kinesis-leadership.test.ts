import type { SourceOptions } from '@leadership/core';
import { parseAddress } from '@leadership/core/internal';
import { describe, expect, it } from 'vitest';
import {
  backend,
  type KinesisOptions,
  kinesisLeadership,
  openKinesisLeadership,
} from '../src/index.ts';

const open = (url: string, options: SourceOptions = {}) =>
  backend.open(parseAddress(url, backend.parameters), options);
const continuous = { guarantee: 'continuous', stream: 'beats', partitions: 1 };
const right = { group: 'billing', table: 'leases', region: 'eu-west-1' };

describe('invalid options are rejected before anything connects', () => {
  it.each<[string, object]>([
    ['table', { table: undefined }],
    ['table', { table: 'no table' }],
    ['region', { region: 'not a region!' }],
    ['homeRegion', { homeRegion: '' }],
    ['create', { create: 'yes' }],
    ['dynamodb', { dynamodb: 'http://127.0.0.1' }],
    ['stream', { stream: 'no stream', partitions: 2 }],
    ['kinesis', { stream: 'orders', partitions: 2, kinesis: 'http://127.0.0.1' }],
    ['kinesis', { kinesis: {}, partitions: 2 }],
    ['partitions', { stream: 'orders' }],
    ['10001 is more than the 10000 that the DynamoDB backend supports', { partitions: 10_001 }],
    [
      'partitions 257 is more than the 256 that the Kinesis backend supports',
      { ...continuous, partitions: 257 },
    ],
    ['guarantee "always"', { guarantee: 'always' }],
    ['guarantee "continuous" needs a stream', { guarantee: 'continuous' }],
    ['leaseMs 500 needs guarantee "continuous"', { leaseMs: 500 }],
    ['membersMax 3 needs guarantee "continuous"', { membersMax: 3 }],
    ['thresholdMs 3000 must exceed leaseMs 3000', { ...continuous, leaseMs: 3000 }],
    ['leaseMs 50 must be', { ...continuous, leaseMs: 50 }],
    ['membersMax 0 must be', { ...continuous, membersMax: 0 }],
    ['thresholdMs 3000 must exceed 5868', { ...continuous, membersMax: 8 }],
    ['group', { group: '' }],
    ['unknown option tabel; did you mean table?', { tabel: 'leases' }],
  ])('%s', (named, wrong) => {
    const options = { ...right, ...wrong } as KinesisOptions;
    expect(() => kinesisLeadership(options)).toThrow(
      expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining(named) }),
    );
  });

  it.each([
    ['kinesis:eu-west-1?group=billing&table=leases', 'names one region'],
    ['kinesis://a,b?group=billing&table=leases', 'names one region'],
    ['kinesis://eu-west-1/a/stream?group=billing&table=leases&partitions=2', 'stream'],
    ['kinesis://eu-west-1?group=billing', 'table'],
  ])('%s', (url, named) => {
    expect(() => open(url)).toThrow(
      expect.objectContaining({ code: 'invalid-options', message: expect.stringContaining(named) }),
    );
  });
});

describe('partitions that the stream determines', () => {
  it.each<[string, object]>([
    ['group', { group: '' }],
    ['thresholdMs', { thresholdMs: 1 }],
    ['table', { table: 'no table' }],
    ['leaseMs', { guarantee: 'continuous', leaseMs: 9000 }],
  ])('are not counted if other options are invalid: %s', async (named, wrong) => {
    await expect(
      openKinesisLeadership({ ...right, stream: 'orders', ...wrong }),
    ).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringContaining(named),
    });
  });

  it('are counted until the signal aborts', async () => {
    const nowhere = {
      endpoint: 'http://127.0.0.1:1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    };
    const stop = new AbortController();
    const options = {
      ...right,
      stream: 'orders',
      dynamodb: nowhere,
      kinesis: nowhere,
      signal: stop.signal,
    };
    const opening = openKinesisLeadership(options);
    stop.abort();
    await expect(opening).rejects.toThrow();
  });
});

describe('a source', () => {
  it('states its guarantees: fail-over takes T with drift, the stagger, and T/3 until the next reading', async () => {
    await using source = await open(
      'kinesis://eu-west-1?group=billing&table=leases&thresholdMs=1000',
    );
    expect(source.guarantees).toEqual({
      exclusive: true,
      tokens: 'ordered',
      handover: 'drained',
      assumes: ['drift', 'durable-store', 'no-suspend'],
      overlapMsMax: 0,
      failoverMsMax: 1375,
    });
  });

  it('states its guarantees with continuous: an overlap of at most T, and fail-over within the lease, a poll, a beat and a stream read', async () => {
    await using source = await open(
      'kinesis://eu-west-1/beats?group=billing&table=leases&guarantee=continuous&thresholdMs=3000&partitions=1',
    );
    expect(source.guarantees).toEqual({
      exclusive: false,
      tokens: 'none',
      handover: 'overlapping',
      assumes: ['drift', 'session', 'no-suspend'],
      overlapMsMax: 3000,
      failoverMsMax: 2653,
    });
  });

  it('accepts a client or its configuration beside the URL', async () => {
    const dynamodb = {
      endpoint: 'http://127.0.0.1:1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    };
    await using source = await open('kinesis://eu-west-1?group=billing&table=leases', {
      dynamodb,
    } as SourceOptions);
    expect(source.group).toBe('billing');
  });
});
