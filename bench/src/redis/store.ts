// Redis, beside a loop over a key that expires, and over a lock of `redlock`.
import { startChild } from '@leadership/tools/processes';
import { localRedis } from '@leadership/tools/redis';
import { Redis } from 'ioredis';
import {
  type Member,
  type MemberOptions,
  pathTo,
  type Store,
  type StoreOptions,
} from '../rows/store.ts';

/** The input of a member process. */
export interface RedisMemberInput extends MemberOptions {
  readonly port: number;
}

const programs = {
  redis: new URL('../programs/redis-member.js', import.meta.url),
  key: new URL('../programs/redis-key-member.js', import.meta.url),
  redlock: new URL('../programs/redlock-member.js', import.meta.url),
};

/** Starts a server. */
export async function openRedis({ delayMs }: StoreOptions = {}): Promise<Store> {
  const server = await localRedis();
  const way = await pathTo(server.port, delayMs);
  const client = new Redis({ port: way.port });
  const start =
    (kind: keyof typeof programs) =>
    (options: MemberOptions): Member =>
      startChild(programs[kind], { input: { ...options, port: way.port } });
  const calls = async (...commands: readonly string[]): Promise<number> => {
    const stats = await server.ask('INFO', 'commandstats');
    const of = (command: string): number =>
      Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
    return commands.reduce((sum, command) => sum + of(command), 0);
  };
  return {
    kind: 'redis',
    name: 'Redis of this host',
    ours: { name: 'redis', start: start('redis') },
    peers: [
      {
        name: 'a key that expires after T, tried and extended every T/4',
        start: start('key'),
        // Its scripts contain no SET.
        requests: () => calls('set', 'eval'),
      },
      {
        name: 'redlock 5.0.0-beta.2, a lock of T, tried and extended every T/4',
        start: start('redlock'),
        requests: () => calls('eval', 'evalsha'),
      },
    ],
    trip: 'an increment of a key',
    roundTrip: () => client.incr('trips'),
    words: { reads: 'reads', writes: 'changes' },
    // Each script that reads contains one HGETALL, and each one that writes contains one HGET.
    requests: async () => ({ reads: await calls('hgetall'), writes: await calls('hget') }),
    async [Symbol.asyncDispose]() {
      client.disconnect();
      await way[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
