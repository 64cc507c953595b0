import { KinesisClient } from '@aws-sdk/client-kinesis';
import { describe, expect, it } from 'vitest';
import { streamOf } from '../../src/stream/stream.ts';
import { credentials, region } from '../support/local-config.ts';
import { memoryStream } from '../support/memory-stream.ts';

const never = new AbortController().signal;
const arn = 'arn:aws:kinesis:us-east-1:123456789012:stream/orders';

/** A Kinesis that returns the same answer to each request. */
function answering(answer: object) {
  const asked: Record<string, unknown>[] = [];
  const requestHandler = {
    async handle({ body }: { readonly body: string }) {
      asked.push(JSON.parse(body) as Record<string, unknown>);
      const headers = { 'content-type': 'application/x-amz-json-1.1' };
      return { response: { statusCode: 200, headers, body: Buffer.from(JSON.stringify(answer)) } };
    },
  } as never;
  return {
    asked,
    stream: streamOf(new KinesisClient({ region, credentials, requestHandler }), arn),
  };
}

describe('requests to Kinesis', () => {
  it('write at most 500 records each, in order, each record with its own hash key', async () => {
    await using local = await memoryStream(1);
    await local.append(
      ...Array.from({ length: 1201 }, (_, number) => ({ key: BigInt(number), text: `n${number}` })),
    );
    const puts = local.service.asked.filter(({ operation }) => operation === 'PutRecords');
    const sent = puts.map(
      ({ input }) =>
        input['Records'] as readonly { readonly Data: string; readonly ExplicitHashKey: string }[],
    );
    expect(sent.map(({ length }) => length)).toEqual([500, 500, 201]);
    expect(sent.flat().map(({ Data }) => Buffer.from(Data, 'base64').toString())).toEqual(
      Array.from({ length: 1201 }, (_, number) => `n${number}`),
    );
    expect(sent.flat()[1200]?.ExplicitHashKey).toBe('1200');
  });

  it('reject with the error of a single record that was not written', async () => {
    const Records = [
      { SequenceNumber: '1', ShardId: 's' },
      { ErrorCode: 'ProvisionedThroughputExceededException', ErrorMessage: 'Rate exceeded' },
    ];
    const { stream } = answering({ FailedRecordCount: 1, Records });
    const entries = [0n, 1n].map((key) => ({ key, text: 'x' }));
    await expect(stream.append(entries, never)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(
        /throttled at kinesis:PutRecords.*The service says: Rate exceeded/,
      ),
    });
  });

  it('list the open shards page by page, and name the stream by its ARN in all requests except for further pages', async () => {
    const { stream, asked } = answering({
      Shards: [],
      NextShardIterator: 'x',
      ShardIterator: 'y',
      Records: [],
    });
    await stream.openShards(never);
    await stream.position('s', 'next', never);
    await stream.position('s', 'oldest', never);
    await stream.read('y', never);
    expect(asked).toEqual([
      { StreamARN: arn, ShardFilter: { Type: 'AT_LATEST' } },
      { StreamARN: arn, ShardId: 's', ShardIteratorType: 'LATEST' },
      { StreamARN: arn, ShardId: 's', ShardIteratorType: 'TRIM_HORIZON' },
      { StreamARN: arn, ShardIterator: 'y' },
    ]);
    await using local = await memoryStream(12);
    const shards = await local.shards();
    expect(shards.map(({ firstKey }) => firstKey)).toEqual(
      [...shards].map(({ firstKey }) => firstKey).sort((a, b) => (a < b ? -1 : 1)),
    );
    expect(shards).toHaveLength(12);
    expect(local.service.counts('direct').get('ListShards')).toBe(3);
  });
});
