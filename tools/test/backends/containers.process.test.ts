import { hasDynamoDb, startDynamoDb, startKinesis } from '@leadership/tools/aws';
import { hasEtcd, startEtcd } from '@leadership/tools/etcd';
import { hasKafka, startKafka } from '@leadership/tools/kafka';
import { hasPostgres, startPostgres } from '@leadership/tools/postgres';
import { hasRedis, startRedis } from '@leadership/tools/redis';
import { getContainerRuntimeClient } from 'testcontainers';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { byContainers, missingEngine } from '../../src/backends/by-containers.ts';
import { isOffered } from '../../src/backends/is-offered.ts';
import { ask, makeTable, put } from '../aws/support.ts';
import { clientOf, makeTopic, readValues, writeRecord } from '../kafka/support.ts';

const missing = byContainers()
  ? await missingEngine()
  : 'BACKENDS_BY does not request containers (npm run test:containers sets it)';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/**
 * Resolves with whether a container, running or not, publishes this port. Other test files may have
 * their own containers.
 */
async function isPublished(port: number): Promise<boolean> {
  const { container } = await getContainerRuntimeClient();
  return (await container.list()).some(({ Ports }) =>
    Ports.some(({ PublicPort }) => PublicPort === port),
  );
}

describe.runIf(isOffered('containers', missing))('in containers', () => {
  describe('a broker of Kafka', () => {
    test('serves with the given settings, and leaves nothing behind', async () => {
      let port = 0;
      {
        await using cluster = await startKafka({
          brokers: 1,
          config: { 'message.max.bytes': 2_000 },
        });
        expect(cluster.name).toMatch(/ in a container$/);
        expect(cluster.can).toEqual({ brokers: false, connections: false });
        const kafka = clientOf(cluster);
        await makeTopic(kafka, 'contained');
        await writeRecord(kafka, 'contained', 'small');
        await expect(writeRecord(kafka, 'contained', 'large'.repeat(1_000))).rejects.toThrow(
          'larger than the max message size',
        );
        expect(await readValues(kafka, 'contained', 1)).toEqual(['small']);
        expect(await cluster.leaderOf('contained', 0)).toBe(1);
        port = Number(cluster.bootstrap[0]?.split(':')[1]);
        expect(await isPublished(port)).toBe(true);
      }
      expect(await isPublished(port)).toBe(false);
    });

    test.each([
      [{ brokers: 1, faults: true }, 'faults'],
      [{ brokers: 1, security: { tls: true } }, 'security'],
      [{ brokers: 3 }, 'brokers: 3'],
      [{ brokers: 1, version: '3.9' }, 'version: 3.9'],
    ] as const)('does not support %o', async (options, name) => {
      vi.stubEnv('REQUIRE_BACKENDS', '');
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      expect(await hasKafka(options)).toBe(false);
      expect(said.mock.calls).toEqual([[expect.stringContaining(`does not support \`${name}\``)]]);
    });
  });

  test.each([
    ['Postgres', hasPostgres, startPostgres],
    ['Redis', hasRedis, startRedis],
    ['etcd', hasEtcd, startEtcd],
  ])('%s serves, and leaves nothing behind', async (_, hasServer, start) => {
    expect(await hasServer()).toBe(true);
    let port = 0;
    {
      await using server = await start();
      expect(server.name).toMatch(/ in a container$/);
      port = 'port' in server ? server.port : Number(server.endpoints[0]?.split(':')[1]);
      expect(await isPublished(port)).toBe(true);
    }
    expect(await isPublished(port)).toBe(false);
  });

  describe('LocalStack', () => {
    test('serves a table, and leaves nothing behind', async () => {
      expect(await hasDynamoDb()).toBe(true);
      let url = '';
      {
        await using server = await startDynamoDb();
        url = server.url;
        expect(server.name).toMatch(/ in a container$/);
        await makeTable(url);
        expect((await put(url, 'a')).status).toBe(200);
        expect(await isPublished(Number(new URL(url).port))).toBe(true);
      }
      expect(await isPublished(Number(new URL(url).port))).toBe(false);
    });

    test('serves streams', async () => {
      await using server = await startKinesis();
      expect(
        (await ask(server.url, 'CreateStream', { StreamName: 'a', ShardCount: 1 }, 'kinesis'))
          .status,
      ).toBe(200);
    });
  });
});
