import { randomUUID } from 'node:crypto';
import { spawnMember } from '@leadership/testkit/faults';
import { hasRedis, type NamedServer, startRedis } from '@leadership/tools/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.runIf(await hasRedis())('a process whose sources use the client of an application', () => {
  let server: NamedServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(['ioredis', 'redis'])(
    'ends after a close at any moment of a start: %s',
    async (client) => {
      const module = new URL('./support/by-client.mjs', import.meta.url);
      module.search = `?client=${client}&port=${server.port}`;
      await using member = await spawnMember({
        url: `redis:?group=${randomUUID()}`,
        module: module.href,
        options: { member: 'a', partitions: 1, thresholdMs: 1000 },
        work: { kind: 'close' },
      });
      await member.close();
      expect(member.events.filter(({ kind }) => kind === 'left')).toEqual([]);
    },
  );
});
