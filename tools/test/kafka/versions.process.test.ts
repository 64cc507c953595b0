import { describe, expect, test } from 'vitest';
import { hasKafka, startKafka } from '../../src/kafka/index.ts';
import { clientOf, makeTopic, quickCrashDetection, readValues, writeRecord } from './support.ts';

const options = {
  brokers: 1,
  version: '3.9',
  config: quickCrashDetection,
  proxied: false,
  faults: true,
} as const;

describe.runIf(await hasKafka(options))('a broker of the older version', () => {
  test('serves without a proxy, and keeps its records in a shutdown', async () => {
    await using cluster = await startKafka(options);
    expect(cluster.name).toBe('Apache Kafka 3.9.1, 1 broker');
    expect(cluster.can).toEqual({ brokers: true, connections: false });
    expect(cluster.broker(1).proxy).toBeUndefined();
    const kafka = clientOf(cluster);
    await makeTopic(kafka, 'shutdown');
    await writeRecord(kafka, 'shutdown', 'before');
    await cluster.broker(1).stop();
    await cluster.broker(1).start();
    expect(await readValues(kafka, 'shutdown', 1)).toEqual(['before']);
  });
});
