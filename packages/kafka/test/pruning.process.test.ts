import { connect } from 'node:net';
import { eventually } from '@leadership/testkit/adapter';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kafkajsClient } from '../src/kafkajs/kafkajs-client.ts';
import { frameFaults } from './support/frame-faults.ts';
import { oftenCopying } from './support/often-copying.ts';

describe.runIf(await hasKafka({ brokers: 1 }))('old records of a topic of leases', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka({ brokers: 1, proxied: false });
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  test('that cannot be removed cause a warning, which ends once they are gone', async () => {
    const faults = frameFaults();
    const client = kafkajsClient({
      brokers: [...kafka.bootstrap],
      socketFactory({ host, port, onConnect }) {
        const socket = connect({ host, port }, onConnect);
        faults.watch(socket);
        return socket;
      },
    });
    const lost = faults.inject('removals-cut');
    await using source = oftenCopying({ client, topic: 'kept' });
    const warning = await eventually('it warns', () =>
      source.health().warnings.find(({ message }) => message.includes('could not be removed')),
    );
    expect(warning).toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/^topic kept: .*(timed out|no answer).*partition 0 .*grows/),
    });
    expect(source.role(0).isLeading()).toBe(true);
    lost[Symbol.dispose]();
    await eventually('the warning ends', () => source.health().warnings.length === 0 || undefined, {
      details: () => `: ${JSON.stringify(source.health())}`,
    });
  });
});
