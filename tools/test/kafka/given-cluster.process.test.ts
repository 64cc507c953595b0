import { afterEach, describe, expect, test, vi } from 'vitest';
import { hasKafka, startKafka } from '../../src/kafka/index.ts';
import { clientOf, makeTopic, readValues, writeRecord } from './support.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

describe.runIf(await hasKafka({ brokers: 1, faults: true }))(
  'a cluster that the environment names',
  () => {
    test('is used and left unchanged', async () => {
      await using own = await startKafka({ brokers: 1 });
      vi.stubEnv('KAFKA_BROKERS', own.bootstrap.join());
      {
        await using given = await startKafka({ brokers: 1 });
        expect(given.name).toBe(`the brokers at ${own.bootstrap[0]}`);
        expect(given.can).toEqual({ brokers: false, connections: false });
        expect(() => given.broker(1)).toThrow('broker 1 is not started here');
        await makeTopic(clientOf(given), 'given');
        expect(await given.leaderOf('given', 0)).toBe(1);
        await writeRecord(clientOf(given), 'given', 'by the given');
      }
      expect(await readValues(clientOf(own), 'given', 1)).toEqual(['by the given']);
    });

    test('is rejected if the caller needs faults, settings or more brokers', async () => {
      await using own = await startKafka({ brokers: 1 });
      vi.stubEnv('KAFKA_BROKERS', own.bootstrap.join());
      vi.stubEnv('REQUIRE_BACKENDS', '');
      const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      expect(await hasKafka({ brokers: 1 })).toBe(true);
      expect(await hasKafka({ brokers: 1, faults: true })).toBe(false);
      expect(await hasKafka({ brokers: 1, config: { 'num.partitions': 2 } })).toBe(false);
      expect(await hasKafka({ brokers: 3 })).toBe(false);
      expect(said.mock.calls.map(([line]) => /(`.*`|has.*);/.exec(String(line))?.[1])).toEqual([
        '`faults`',
        '`config`',
        'has 1 of the 3 required brokers',
      ]);
      await expect(startKafka({ brokers: 3 })).rejects.toThrow(
        'the cluster of KAFKA_BROKERS has 1 of the 3 required brokers',
      );
    });
  },
);
