import { type Child, startChild } from '@leadership/tools/processes';
import { localRedis } from '@leadership/tools/redis';
import { Redis } from 'ioredis';
import type { ElectionMessage } from '../process/member-messages.ts';
import type { Implementation, MemberOptions } from '../rows/fail-over.ts';

/** The input of a member process. */
export interface RedisMemberInput extends MemberOptions {
  readonly port: number;
}

const programs = {
  redis: new URL('../programs/redis-member.js', import.meta.url),
  key: new URL('../programs/redis-key-member.js', import.meta.url),
  redlock: new URL('../programs/redlock-member.js', import.meta.url),
};

/** A process that runs one member. */
type RedisMember = Child<ElectionMessage>;

/** Numbers of scripts that the server has run. */
interface Scripts {
  readonly reads: number;
  readonly writes: number;
}

/** A server to measure on. */
export interface RedisGround extends AsyncDisposable {
  readonly ours: Implementation<RedisMember>;
  readonly key: Implementation<RedisMember>;
  readonly redlock: Implementation<RedisMember>;
  /** Measures round trips: an increment of a key. Milliseconds. */
  trips(count: number): Promise<readonly number[]>;
  /** Returns the number of scripts of members so far. */
  scripts(): Promise<Scripts>;
}

/** Starts the server. */
export async function openRedisGround(): Promise<RedisGround> {
  const server = await localRedis();
  const { port } = server;
  const client = new Redis({ port });
  const start =
    (kind: keyof typeof programs) =>
    (options: MemberOptions): RedisMember =>
      startChild(programs[kind], { input: { ...options, port } });
  return {
    ours: { name: 'redis', start: start('redis') },
    key: { name: 'a key that expires after T, tried and extended every T/4', start: start('key') },
    redlock: {
      name: 'redlock 5.0.0-beta.2, a lock of T, tried and extended every T/4',
      start: start('redlock'),
    },
    async trips(count) {
      const trips: number[] = [];
      for (let trip = 0; trip < count; trip += 1) {
        const began = performance.now();
        await client.incr('trips');
        trips.push(performance.now() - began);
      }
      return trips;
    },
    async scripts() {
      const stats = await server.ask('INFO', 'commandstats');
      const calls = (command: string): number =>
        Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      // Each script that reads contains one HGETALL, and each one that writes contains one HGET.
      return { reads: calls('hgetall'), writes: calls('hget') };
    },
    async [Symbol.asyncDispose]() {
      client.disconnect();
      await server[Symbol.asyncDispose]();
    },
  };
}
