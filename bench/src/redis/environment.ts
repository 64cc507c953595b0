import { type Child, startChild } from '@leadership/tools/processes';
import { localRedis } from '@leadership/tools/redis';
import type { ElectionMessage } from '../process/member-messages.ts';

/** The input of a member process. */
export interface RedisMemberInput {
  readonly port: number;
  readonly group: string;
  readonly member: string;
  readonly thresholdMs: number;
  readonly partitions: number;
}

const programs = {
  redis: new URL('../programs/redis-member.js', import.meta.url),
  key: new URL('../programs/redis-key-member.js', import.meta.url),
};

/** A process that runs one member. */
export type RedisMember = Child<ElectionMessage>;

/** Numbers of scripts that the server has run. */
interface Scripts {
  readonly reads: number;
  readonly writes: number;
}

/** A server to measure on. */
export interface RedisGround extends AsyncDisposable {
  /** Starts a member: ours, or a loop over a key that expires. */
  start(kind: 'redis' | 'key', options: Omit<RedisMemberInput, 'port'>): RedisMember;
  /** Returns the number of scripts of members so far. */
  scripts(): Promise<Scripts>;
}

/** Starts the server. */
export async function openRedisGround(): Promise<RedisGround> {
  const server = await localRedis();
  const { port } = server;
  return {
    start: (kind, options) => startChild(programs[kind], { input: { ...options, port } }),
    async scripts() {
      const stats = await server.ask('INFO', 'commandstats');
      const calls = (command: string): number =>
        Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1] ?? 0);
      // Each script that reads contains one HGETALL, and each one that writes contains one HGET.
      return { reads: calls('hgetall'), writes: calls('hget') };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
