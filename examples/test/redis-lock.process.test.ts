// What the lock of docs/how-to/from-a-redis-lock.md gets wrong on a real Redis, and that leadership
// holds where it fails: each scenario runs with the program before and after.
import { eventually } from '@leadership/testkit/adapter';
import { type TcpProxy, tcpProxy } from '@leadership/testkit/faults';
import { hasLocalRedis, type LocalRedis, localRedis } from '@leadership/tools/redis';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { amidInvoice, startWorker, stopped, type Worker, wronglySent } from './workers.ts';

const programs = [
  ['a lock in Redis', 'redis-lock.mjs', true],
  ['leadership', 'redis-lock-replaced.mjs', false],
] as const;

describe.runIf(await hasLocalRedis()).each(programs)('with %s', (_, program, isWrong) => {
  const opened: AsyncDisposable[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
  });
  const kept = <T extends AsyncDisposable>(one: T): T => {
    opened.push(one);
    return one;
  };
  const proxied = async (target: { readonly port: number }): Promise<TcpProxy> =>
    kept(await tcpProxy(target));

  const start = (name: string, leases: number, store: number): Worker =>
    kept(
      startWorker(program, name, {
        REDIS_URL: `redis://127.0.0.1:${leases}/0`,
        STORE_URL: `redis://127.0.0.1:${store}/1`,
      }),
    );

  /** Resolves with the invoices in the order in which they were sent. */
  async function sentTo({ port }: LocalRedis) {
    const client = new Redis(port, { db: 1 });
    const sent = await client.lrange('sent', 0, -1);
    client.disconnect();
    return sent.map((text) => ({ number: Number.parseInt(text, 10), by: text.split(' by ')[1] }));
  }

  /** Expects invoices of both, and a wrong one if the program is wrong. */
  async function judge(store: LocalRedis): Promise<void> {
    const sent = await sentTo(store);
    expect(new Set(sent.map(({ by }) => by))).toEqual(new Set(['alice', 'bob']));
    expect(wronglySent(sent).length > 0, JSON.stringify(sent)).toBe(isWrong);
  }

  it(`a process that was stopped for longer than T ${isWrong ? 'sends an invoice again' : 'sends nothing that its successor has sent'}`, async () => {
    const redis = kept(await localRedis());
    const alice = start('alice', redis.port, redis.port);
    await alice.says('has sent invoice');
    const stopping = await amidInvoice(alice, () => stopped(alice));
    const bob = start('bob', redis.port, redis.port);
    await bob.says('has sent invoice');
    stopping[Symbol.dispose]();
    await bob.says('has sent invoice');
    await bob.says('has sent invoice');
    await judge(redis);
  });

  it(`a write that the network has kept ${isWrong ? 'arrives after those of the successor, and counts' : 'is refused once the successor has begun'}`, async () => {
    const redis = kept(await localRedis());
    const way = await proxied(redis);
    const alice = start('alice', way.port, way.port);
    await alice.says('has sent invoice');
    const keeping = await amidInvoice(alice, () => way.hold('to-server'));
    const bob = start('bob', redis.port, redis.port);
    await bob.says('has sent invoice');
    keeping[Symbol.dispose]();
    await bob.says('has sent invoice');
    await bob.says('has sent invoice');
    await judge(redis);
  });

  it(`a fail-over that loses the newest writes ${isWrong ? 'gives the lock to a second process' : 'gives leadership to nobody before the first leader has stopped'}`, async () => {
    const [store, primary] = [kept(await localRedis()), kept(await localRedis())];
    const replication = await proxied(primary);
    const replica = kept(await localRedis({ replicaof: `127.0.0.1 ${replication.port}` }));
    await eventually('the replica is connected', async () =>
      (await replica.ask('INFO', 'replication')).includes('master_link_status:up'),
    );
    replication.halfOpen();
    const way = await proxied(primary);
    const alice = start('alice', way.port, store.port);
    await alice.says('has sent invoice');
    await alice.says('begins invoice');
    await primary.kill();
    await replica.ask('REPLICAOF', 'NO', 'ONE');
    // Alice's client has not found the new primary yet. It never had the lock.
    expect(await replica.ask('EXISTS', 'lock', 'leadership:{invoices}')).toBe(':0\r\n');
    const bob = start('bob', replica.port, store.port);
    await bob.says('has sent invoice');
    await bob.says('has sent invoice');
    await judge(store);
  });
});
