import { rowsTests } from '@leadership/testkit/vitest';
import { hasKafka, type KafkaCluster, startKafka } from '@leadership/tools/kafka';
import { afterAll, beforeAll, describe } from 'vitest';
import { clientNames } from './support/clients.ts';
import { storeOn } from './support/rows-store.ts';

describe.runIf(await hasKafka({ brokers: 1 }))('rows on Kafka', () => {
  let kafka: KafkaCluster;
  beforeAll(async () => {
    kafka = await startKafka({ brokers: 1, proxied: false });
  });
  afterAll(() => kafka[Symbol.asyncDispose]());

  describe.each(clientNames)('with %s', (client) => {
    rowsTests(async () => storeOn(kafka, client));
  });
});
