import { describe, expect, it } from 'vitest';
import { patchMetadataResponse } from '../../src/kafkajs-patches/metadata-response.ts';

interface Partition {
  readonly partitionErrorCode: number;
}
interface Topic {
  readonly topicErrorCode: number;
  readonly partitionMetadata: readonly Partition[];
}

/** Parses like KafkaJS: any error in an answer rejects the whole answer. */
const parse = (data: unknown): Promise<unknown> => {
  const { topicMetadata } = data as { readonly topicMetadata: readonly Topic[] };
  const codes = topicMetadata.flatMap((topic) => [
    topic.topicErrorCode,
    ...topic.partitionMetadata.map((one) => one.partitionErrorCode),
  ]);
  const code = codes.find((one) => one !== 0);
  return code === undefined ? Promise.resolve(data) : Promise.reject(new Error(`code ${code}`));
};

function connectionWith(data: unknown) {
  const connection = {
    send: ({
      response,
    }: {
      readonly request: object;
      readonly response: { parse(data: unknown): Promise<unknown> };
    }) => response.parse(data),
  };
  patchMetadataResponse(connection);
  return connection;
}

const leaderless = {
  topicMetadata: [
    {
      topicErrorCode: 0,
      partitionMetadata: [{ partitionErrorCode: 5 }, { partitionErrorCode: 0 }],
    },
  ],
};

describe('an answer about topics', () => {
  it('is accepted if some partitions have no leader', async () => {
    const asked = { request: { apiName: 'Metadata' }, response: { parse } };
    expect(await connectionWith(leaderless).send(asked)).toBe(leaderless);
  });

  it('rejects on the error of a whole topic', async () => {
    const unknown = { topicMetadata: [{ topicErrorCode: 3, partitionMetadata: [] }] };
    const asked = { request: { apiName: 'Metadata' }, response: { parse } };
    await expect(connectionWith(unknown).send(asked)).rejects.toThrow('code 3');
  });

  it('stays unchanged for other requests, and on connections with another structure', async () => {
    await expect(
      connectionWith(leaderless).send({ request: { apiName: 'Fetch' }, response: { parse } }),
    ).rejects.toThrow('code 5');
    expect(() => patchMetadataResponse({})).not.toThrow();
  });
});
