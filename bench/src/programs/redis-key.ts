// A member process that loops over a key of Redis that expires after T.
import { Redis } from 'ioredis';
import { loop } from '../peers/lock-loop.ts';

const key = 'key-lock';
const extend = `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('PEXPIRE', KEYS[1], ARGV[2]) or 0`;
const release = `return redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('DEL', KEYS[1]) or 0`;

await loop(async ({ port }: { readonly port: number }, { member, thresholdMs }) => {
  const client = new Redis({ port });
  await client.ping();
  return {
    take: async () => (await client.set(key, member, 'PX', thresholdMs, 'NX')) === 'OK',
    extend: async () => (await client.eval(extend, 1, key, member, thresholdMs)) === 1,
    release: () => client.eval(release, 1, key, member),
  };
});
