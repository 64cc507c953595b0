import { rowsTests } from '@leadership/testkit/vitest';
import { hasNats } from '@leadership/tools/nats';
import { describe } from 'vitest';
import { openStore } from './support/rows-store.ts';

describe.runIf(await hasNats())('rows on NATS', () => {
  describe('with one server', () => rowsTests(() => openStore()));
  // A consumer may be on a server that lags behind.
  describe('with three servers', () => rowsTests(() => openStore({ servers: 3 })));
});
