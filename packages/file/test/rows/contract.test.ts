import { rowsTests } from '@leadership/testkit/vitest';
import { openRowsStore } from '../support/rows-store.ts';

rowsTests(openRowsStore);
