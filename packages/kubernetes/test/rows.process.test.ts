import { rowsTests } from '@leadership/testkit/vitest';
import { hasKubernetes } from '@leadership/tools/kubernetes';
import { describe } from 'vitest';
import { openStore } from './support/rows-store.ts';

describe.runIf(await hasKubernetes())('rows on Kubernetes', () => {
  rowsTests(openStore);
});
