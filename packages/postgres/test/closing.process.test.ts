import { randomUUID } from 'node:crypto';
import { spawnMember } from '@leadership/testkit/faults';
import { hasPostgres } from '@leadership/tools/postgres';
import { describe, expect, it } from 'vitest';
import { testServer } from './support/server.ts';

describe.runIf(await hasPostgres())(
  'a process whose sources use the pool of an application',
  () => {
    it('ends after a close at any moment of a start', async () => {
      await using server = await testServer();
      const { host, port, database, user, password } = server.config;
      const module = new URL('./support/by-pool.mjs', import.meta.url);
      module.searchParams.set('config', JSON.stringify({ host, port, database, user, password }));
      await using member = await spawnMember({
        url: `postgres:?group=${randomUUID()}`,
        module: module.href,
        options: { member: 'a', partitions: 1, thresholdMs: 1000 },
        work: { kind: 'close' },
      });
      await member.close();
      expect(member.events.filter(({ kind }) => kind === 'left')).toEqual([]);
    });
  },
);
