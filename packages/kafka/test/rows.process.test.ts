import { rowsTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { clientNames } from './support/clients.ts';
import { openStore } from './support/rows-store.ts';

describe.runIf(await hasKafka({ brokers: 1 }))('rows on Kafka', () => {
  describe.each(clientNames)('with %s', (client) => {
    rowsTests(() => openStore(client));
  });
});
