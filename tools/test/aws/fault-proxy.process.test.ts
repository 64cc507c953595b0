import { setTimeout as pause } from 'node:timers/promises';
import { awsProxy, startDynamoDb, startKinesis } from '@leadership/tools/aws';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ask, has, makeTable, put } from './support.ts';

/** A generous timeout, for a starved machine. */
const patiently = { timeout: 20_000 };

type Proxy = Awaited<ReturnType<typeof awsProxy>>;

describe('a fault proxy', () => {
  let server: Awaited<ReturnType<typeof startDynamoDb>>;
  let proxy: Proxy;
  let number = 0;
  let name = '';
  const open = async (): Promise<void> => {
    server = await startDynamoDb();
    proxy = await awsProxy({ target: server.url });
    await makeTable(proxy.line('a'));
  };
  beforeAll(open);
  afterAll(async () => {
    await proxy[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    number += 1;
    name = `thing-${number}`;
  });
  const exists = (): Promise<boolean> => has(server.url, name);

  it('forwards requests without a fault, and counts requests by line and operation', async () => {
    expect((await put(proxy.line('b'), name)).status).toBe(200);
    expect(await has(proxy.line('b'), name)).toBe(true);
    expect(Object.fromEntries(proxy.counts('b'))).toEqual({ PutItem: 1, GetItem: 1 });
    expect(proxy.counts().get('CreateTable')).toBe(1);
  });

  it('cuts one line and no other', async () => {
    using _cut = proxy.inject({ kind: 'cut' }, { line: 'a' });
    await expect(put(proxy.line('a'), name)).rejects.toThrow();
    expect(await exists()).toBe(false);
    expect((await put(proxy.line('b'), `${name}b`)).status).toBe(200);
  });

  it('loses a reply after the write took effect', async () => {
    using _lost = proxy.inject({ kind: 'lose-reply' }, { operations: ['PutItem'] });
    await expect(put(proxy.line('a'), name)).rejects.toThrow();
    expect(await exists()).toBe(true);
    expect(await has(proxy.line('a'), name)).toBe(true);
  });

  it('swallows a request: it has no effect and gets no response', async () => {
    using _swallow = proxy.inject({ kind: 'swallow' });
    const answer = put(proxy.line('a'), name);
    answer.catch(() => undefined);
    await ask(server.url, 'ListTables', {});
    expect(await Promise.race([answer, Promise.resolve('none yet')])).toBe('none yet');
    expect(await exists()).toBe(false);
  });

  it('delays requests and responses', async () => {
    const since = performance.now();
    const there = proxy.inject({ kind: 'delay-request', ms: 200 });
    const slow = put(proxy.line('a'), name);
    await expect.poll(exists, patiently).toBe(true);
    expect(performance.now() - since).toBeGreaterThan(190);
    expect((await slow).status).toBe(200);
    there[Symbol.dispose]();
    using _back = proxy.inject({ kind: 'delay-reply', ms: 200 });
    const sentAt = performance.now();
    const late = put(proxy.line('a'), `${name}-back`);
    await expect.poll(() => has(server.url, `${name}-back`), patiently).toBe(true);
    expect((await late).status).toBe(200);
    expect(performance.now() - sentAt).toBeGreaterThan(190);
  });

  it('responds with an error in the format of AWS', async () => {
    using _throttled = proxy.inject({
      kind: 'error',
      code: 'ProvisionedThroughputExceededException',
    });
    const { status, body } = await put(proxy.line('a'), name);
    expect(status).toBe(400);
    expect(body['__type']).toMatch(/#ProvisionedThroughputExceededException$/);
    expect(await exists()).toBe(false);
  });
});

describe('the limit of reads', () => {
  it('is five a second per shard, for all readers together', async () => {
    await using server = await startKinesis();
    await using proxy = await awsProxy({ target: server.url });
    const url = proxy.line('a');
    const kinesis = (operation: string, input: object) => ask(url, operation, input, 'kinesis');
    await kinesis('CreateStream', { StreamName: 's', ShardCount: 2 });
    const iterator = async (shard: number): Promise<unknown> => {
      const of = {
        StreamName: 's',
        ShardId: `shardId-00000000000${shard}`,
        ShardIteratorType: 'TRIM_HORIZON',
      };
      return (await kinesis('GetShardIterator', of)).body['ShardIterator'];
    };
    await expect.poll(() => iterator(1), patiently).toBeTypeOf('string');
    const [one, again, other] = [await iterator(0), await iterator(0), await iterator(1)];
    const burst = async () => {
      const since = performance.now();
      const reads = [one, again, one, again, one, again, other].map((ShardIterator) =>
        kinesis('GetRecords', { ShardIterator }),
      );
      const answers = await Promise.all(reads);
      return { answers, tookMs: performance.now() - since };
    };
    let { answers, tookMs } = await burst();
    // On a starved machine, the requests may take more than a second and stay within the limit.
    // Then try again.
    for (let rest = 5; rest > 0 && tookMs >= 1000; rest -= 1) {
      await pause(1100);
      ({ answers, tookMs } = await burst());
    }
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(answers.find(({ status }) => status !== 200)?.body['__type']).toContain(
      'ProvisionedThroughputExceeded',
    );
    expect(answers.at(-1)?.status).toBe(200);
  });
});
