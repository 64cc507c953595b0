// In soak, because the tests of members on three brokers rely on all of this in every run.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { hasKafka, type KafkaCluster, startKafka } from '../../src/kafka/index.ts';
import {
  clientOf,
  coordinatorByKafka,
  directClientOf,
  impatientClientOf,
  makeTopic,
  quickCrashDetection,
  readValues,
  restoreBrokers,
  writeRecord,
} from './support.ts';

const options = { brokers: 3, config: quickCrashDetection, faults: true } as const;
const limit = { timeout: 30_000, interval: 100 };

describe.runIf(await hasKafka(options))('three brokers', () => {
  let cluster: KafkaCluster;
  beforeAll(async () => {
    cluster = await startKafka(options);
  });
  beforeEach(() => restoreBrokers(cluster));
  afterAll(() => cluster[Symbol.asyncDispose]());

  test('elect another leader for a partition whose leader crashed, and accept the crashed broker again', async () => {
    const kafka = clientOf(cluster);
    await makeTopic(kafka, 'moving', 3);
    await writeRecord(kafka, 'moving', 'before');
    const first = await cluster.leaderOf('moving', 0);
    await cluster.broker(first).kill();
    await vi.waitUntil(async () => (await cluster.leaderOf('moving', 0)) !== first, limit);
    await writeRecord(kafka, 'moving', 'after');
    await cluster.broker(first).start();
    expect(await readValues(kafka, 'moving', 2)).toEqual(['before', 'after']);
  });

  test('move a group to another coordinator when its coordinator shuts down in order', async () => {
    const kafka = clientOf(cluster);
    for (const group of ['members', 'other members', 'Mitglieder für später']) {
      // On a starved machine, the coordinator may change between the two queries.
      await vi.waitUntil(
        async () =>
          (await cluster.coordinatorOf(group)) === (await coordinatorByKafka(kafka, group)),
        limit,
      );
    }
    const first = await cluster.coordinatorOf('members');
    await cluster.broker(first).stop();
    await vi.waitUntil(async () => (await cluster.coordinatorOf('members')) !== first, limit);
    await cluster.broker(first).start();
    expect(cluster.brokers.map(({ isRunning }) => isRunning)).toEqual([true, true, true]);
  });

  test('reach each other without the proxies', async () => {
    const kafka = directClientOf(cluster);
    await makeTopic(kafka, 'replicated', 3, { 'min.insync.replicas': '3' });
    for (const { proxy } of cluster.brokers) proxy?.cut();
    await writeRecord(kafka, 'replicated', 'everywhere');
    await expect(readValues(impatientClientOf(cluster), 'replicated', 1)).rejects.toThrow(
      'ECONNRESET',
    );
    for (const { proxy } of cluster.brokers) proxy?.mend();
    expect(await readValues(clientOf(cluster), 'replicated', 1)).toEqual(['everywhere']);
  });
});
