import { describe, expect, it } from 'vitest';
import { openStream } from '../../src/stream/open-stream.ts';
import { openTable } from '../../src/table/open-table.ts';

const config = { region: 'eu-west-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
const { table } = openTable({ table: 'leases', dynamodb: config });
const open = (error: object) =>
  openStream({ stream: 'orders', kinesis: config }, table, { load: () => Promise.reject(error) });
const signal = new AbortController().signal;

describe('a stream whose client is not installed', () => {
  it.each(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'])(
    'is refused with the install command: %s',
    async (code) => {
      const missing = Object.assign(
        new Error("Cannot find package '@aws-sdk/client-kinesis' imported from …"),
        { code },
      );
      await expect(open(missing).stream.openShards(signal)).rejects.toMatchObject({
        code: 'misconfigured-backend',
        message: expect.stringMatching(
          /stream "orders": @aws-sdk\/client-kinesis is not installed: run npm install @aws-sdk\/client-kinesis/,
        ),
        cause: missing,
      });
    },
  );

  it('is refused with the cause if the package fails to load', async () => {
    const broken = new SyntaxError('half a file');
    await expect(open(broken).stream.append([], signal)).rejects.toMatchObject({
      code: 'misconfigured-backend',
      message: expect.stringContaining('failed to load: SyntaxError: half a file'),
    });
  });

  it('loads nothing before the first request, and can be closed before it', () => {
    let loads = 0;
    const load = async () => {
      loads += 1;
      throw new Error('this must not be loaded');
    };
    const { close } = openStream({ stream: 'orders', kinesis: config }, table, { load });
    close();
    expect(loads).toBe(0);
  });
});
