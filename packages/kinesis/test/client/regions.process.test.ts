import { hasDynamoDb } from '@leadership/tools/aws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KinesisOptions, kinesisLeadership } from '../../src/index.ts';
import { localStream } from '../support/local-stream.ts';
import { type LocalTable, localTable } from '../support/local-table.ts';

/** Of the emulators, DynamoDB Local and kinesis-local separate regions as AWS does. */
describe.runIf(await hasDynamoDb({ perRegion: true }))('a member in the wrong region', () => {
  let table: LocalTable;
  beforeAll(async () => {
    table = await localTable({ perRegion: true });
  });
  afterAll(() => table[Symbol.asyncDispose]());

  const wrong = 'eu-west-1';
  const open = (options: Partial<KinesisOptions>) =>
    kinesisLeadership({
      table: table.name,
      dynamodb: table.direct,
      group: 'billing',
      partitions: 1,
      ...options,
    });

  it('is refused if the table is in another region, with the region that it used', async () => {
    await using there = open({});
    await there.ready();
    await using here = open({ dynamodb: { ...table.direct, region: wrong } });
    await expect(here.ready()).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringMatching(
        `table "${table.name}" in ${wrong}: the table does not exist: .* correct the name or the region`,
      ),
    });
    expect(here.role(0).isLeading()).toBe(false);
  });

  it('is refused with both regions if the stream is in another region', async () => {
    await using stream = await localStream();
    expect(() =>
      open({ stream: stream.name, kinesis: { ...stream.direct, region: wrong } }),
    ).toThrow(
      expect.objectContaining({
        code: 'invalid-options',
        message: expect.stringMatching(`names region us-east-1, .* names ${wrong}`),
      }),
    );
  });

  it('is refused if its credentials are valid in another region', async () => {
    using _scoped = table.proxy.inject(
      { kind: 'error', code: 'InvalidSignatureException' },
      { line: 'scoped' },
    );
    await using here = open({ dynamodb: { ...table.config('scoped'), region: wrong } });
    await expect(here.ready()).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringMatching(
        `table "${table.name}" in ${wrong}: .*credentials.* valid in ${wrong}`,
      ),
    });
  });
});
