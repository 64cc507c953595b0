// Writes docs/reference/contract.md from the checks of the conformance suite. A test fails if the
// page is out of date.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkGroups } from '@leadership/testkit';
import { contractPage } from './page.ts';

writeFileSync(
  resolve(import.meta.dirname, '../../../docs/reference/contract.md'),
  contractPage(checkGroups),
);
