import { rowsTests } from '@leadership/testkit/vitest';
import { hasNats } from '@leadership/tools/nats';
import { describe } from 'vitest';
import { openStore } from './support/rows-store.ts';

describe.runIf(await hasNats())('rows on NATS', () => {
  rowsTests(openStore);
});
