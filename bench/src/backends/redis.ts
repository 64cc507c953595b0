// Redis as the benchmarks of elections use it, beside two loops as teams write them: over a key
// that expires, and over a lock of `redlock`.
import { hasLocalRedis, localRedis } from '@leadership/tools/redis';
import { Redis } from 'ioredis';
import { startLoop } from '../peers/lock-loop.ts';
import type { Backend } from './backend.ts';
import { storeBackend } from './stores.ts';

/** A server of this host. */
export const redis: Backend = storeBackend({
  name: 'redis',
  roundTrip: 'an increment of a key',
  isOffered: () => hasLocalRedis(),
  start: () => localRedis(),
  use: async ({ ask }, port) => {
    const client = new Redis({ port });
    const calls = async (...commands: readonly string[]): Promise<number> => {
      const stats = await ask('INFO', 'commandstats');
      const of = (command: string): number =>
        Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      return commands.reduce((sum, command) => sum + of(command), 0);
    };
    return {
      place: 'Redis of this host',
      address: (group) => ({ url: `redis://127.0.0.1:${port}?group=${group}` }),
      request: () => client.incr('trips'),
      words: { reads: 'scripts', writes: 'of them with changes' },
      // Each script of a member contains one ZREMRANGEBYRANK. At rest, one with changes contains one HSET.
      count: async () => ({ reads: await calls('zremrangebyrank'), writes: await calls('hset') }),
      peers: async () => ({
        peers: [
          {
            name: 'a key that expires after T, tried and extended every T/4',
            start: (options) => startLoop('redis-key', { port }, options),
            // Its scripts contain no SET.
            requests: () => calls('set', 'eval'),
          },
          {
            name: 'redlock 5.0.0-beta.2, a lock of T, tried and extended every T/4',
            start: (options) => startLoop('redlock', { port }, options),
            requests: () => calls('eval', 'evalsha'),
          },
        ],
        notes: [],
      }),
      [Symbol.asyncDispose]: async () => client.disconnect(),
    };
  },
});
