import { rowsTests } from '@leadership/testkit/internal/vitest';
import { openRowsStore } from '../support/rows-store.ts';

rowsTests(openRowsStore);
