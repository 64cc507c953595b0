import { KinesisClient } from '@aws-sdk/client-kinesis';
import { monotonicClock } from '@leadership/core/adapter';
import { HealthReporter, inFlight } from '@leadership/core/internal/engine';
import { tcpProxy } from '@leadership/testkit/faults';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { expect, it } from 'vitest';
import { followShards } from '../../src/stream/follow-shards.ts';
import { readRate } from '../../src/stream/read-rate.ts';
import { streamOf } from '../../src/stream/stream.ts';
import { eventually } from '../support/eventually.ts';
import { fakeHost } from '../support/fake-host.ts';
import { localStream } from '../support/local-stream.ts';

it('a stream is read on over a new connection if the present one is silently gone: no data, no FIN, no RST', async () => {
  await using local = await localStream();
  const { port } = new URL(String(local.direct.endpoint));
  await using way = await tcpProxy({ port: Number(port) });
  const requestHandler = new NodeHttpHandler();
  const endpoint = `http://127.0.0.1:${way.port}`;
  const client = new KinesisClient({ ...local.direct, endpoint, requestHandler });
  const stop = new AbortController();
  const texts: string[] = [];
  let isListening = false;
  const following = {
    stream: streamOf(client, local.name),
    keys: [0n],
    clock: monotonicClock,
    limitMs: 1000,
    busy: inFlight(),
    troubles: new HealthReporter(fakeHost('a'), 'warning'),
    newReadRate: () => readRate({ readers: () => 1, lastMs: 1000, random: () => 0.5 }),
  };
  const follow = async (): Promise<void> => {
    for await (const item of followShards(following, stop.signal)) {
      if (item.kind === 'records') texts.push(...item.texts);
      else isListening = true;
    }
  };
  const followed = follow();
  await eventually('it listens', () => isListening);
  await local.append({ key: 0n, text: 'before' });
  await eventually('it is read', () => texts.includes('before'));
  way.silence();
  await local.append({ key: 0n, text: 'after' });
  await eventually('it is read on', () => texts.includes('after'));
  expect(texts).toEqual(['before', 'after']);
  stop.abort();
  await followed;
  client.destroy();
});
