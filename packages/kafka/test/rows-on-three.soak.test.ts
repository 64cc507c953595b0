// A replica without the newest records becomes the leader of the partition, as by an unclean election.
import { rowsChecks } from '@leadership/testkit';
import { rowsTests } from '@leadership/testkit/vitest';
import { hasKafka } from '@leadership/tools/kafka';
import { describe } from 'vitest';
import { clientNames } from './support/clients.ts';
import { openReplicated, replicatedBrokers } from './support/rows-store.ts';

const promoted = rowsChecks.filter(({ id }) => id === 'promoted-replica');

describe.runIf(await hasKafka(replicatedBrokers))('rows on three brokers', () => {
  describe.each(clientNames)('with %s', (client) => {
    rowsTests(() => openReplicated(client), promoted);
  });
});
