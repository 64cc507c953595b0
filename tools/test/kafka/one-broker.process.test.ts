import { Partitioners } from 'kafkajs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hasKafka, type KafkaCluster, startKafka } from '../../src/kafka/index.ts';
import {
  clientOf,
  directClientOf,
  endOffset,
  impatientClientOf,
  makeTopic,
  quickCrashDetection,
  readValues,
  restoreBrokers,
  writeRecord,
} from './support.ts';

const options = { brokers: 1, config: quickCrashDetection, faults: true } as const;

describe.runIf(await hasKafka(options))('one broker', () => {
  let cluster: KafkaCluster;
  beforeAll(async () => {
    cluster = await startKafka(options);
  });
  beforeEach(() => restoreBrokers(cluster));
  afterAll(() => cluster[Symbol.asyncDispose]());

  test('keeps its records in a crash', async () => {
    const kafka = clientOf(cluster);
    await makeTopic(kafka, 'crash');
    await writeRecord(kafka, 'crash', 'before');
    const broker = cluster.broker(1);
    await broker.kill();
    expect(broker.isRunning).toBe(false);
    await expect(writeRecord(impatientClientOf(cluster), 'crash', 'meanwhile')).rejects.toThrow(
      'ECONNRESET',
    );
    await broker.start();
    expect(broker.isRunning).toBe(true);
    await writeRecord(kafka, 'crash', 'after');
    expect(await readValues(kafka, 'crash', 2)).toEqual(['before', 'after']);
  });

  test('responds to no client while it is paused, and responds again once it resumes', async () => {
    const kafka = clientOf(cluster);
    await makeTopic(kafka, 'pause');
    cluster.broker(1).pause();
    await expect(writeRecord(impatientClientOf(cluster), 'pause', 'asleep')).rejects.toThrow(
      /timed out|not connected/,
    );
    cluster.broker(1).resume();
    await writeRecord(kafka, 'pause', 'awake');
    expect((await readValues(kafka, 'pause', 1)).at(-1)).toMatch(/asleep|awake/);
  });

  test('can be stopped in order while it is paused', async () => {
    cluster.broker(1).pause();
    await cluster.broker(1).stop();
    expect(cluster.broker(1).isRunning).toBe(false);
  });

  test('is unreachable through a proxy that is cut, but reachable without it', async () => {
    const kafka = clientOf(cluster);
    await makeTopic(kafka, 'cut');
    // The other records must arrive exactly once, even on a starved machine.
    const retry = { retries: 2, initialRetryTime: 100 };
    const client = impatientClientOf(cluster, {
      connectionTimeout: 10_000,
      requestTimeout: 10_000,
      retry,
    });
    const producer = client.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    const send = (value: string): Promise<unknown> =>
      producer.send({ topic: 'cut', messages: [{ value }] });
    await producer.connect();
    await send('before');
    cluster.broker(1).proxy?.cut();
    // The advertised address leads through the proxy too.
    await expect(send('lost')).rejects.toThrow(/ECONNRESET|Closed connection/);
    await writeRecord(directClientOf(cluster), 'cut', 'direct');
    cluster.broker(1).proxy?.mend();
    await send('mended');
    await producer.disconnect();
    expect(await readValues(kafka, 'cut', 3)).toEqual(['before', 'direct', 'mended']);
  });

  test('loses the newest records, but no topic, when older data are restored', async () => {
    const kafka = clientOf(cluster);
    await makeTopic(kafka, 'tail');
    await writeRecord(kafka, 'tail', 'kept');
    const copy = await cluster.broker(1).copyData();
    await writeRecord(kafka, 'tail', 'lost');
    await makeTopic(kafka, 'younger');
    expect(await endOffset(kafka, 'tail')).toBe(2);
    await expect(copy.putBack()).rejects.toThrow('broker 1 is running');
    await cluster.broker(1).kill();
    await copy.putBack();
    await cluster.broker(1).start();
    // A broker that has just started does not lead its partitions until the controller has assigned
    // them.
    await expect.poll(() => endOffset(kafka, 'tail').catch(String)).toBe(1);
    await expect.poll(() => endOffset(kafka, 'younger').catch(String)).toBe(0);
    await writeRecord(kafka, 'tail', 'instead');
    expect(await readValues(kafka, 'tail', 2)).toEqual(['kept', 'instead']);
  });

  test('cannot be started twice', async () => {
    await expect(cluster.broker(1).start()).rejects.toThrow('broker 1 is already running');
  });
});
