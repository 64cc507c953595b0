import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkGroups } from '@leadership/testkit';
import { expect, it } from 'vitest';
import { contractPage } from '../src/contract-page/page.ts';

it('is up to date with the checks; after a change, run `npm run build && node tools/dist/contract-page/main.js`', () => {
  expect(
    readFileSync(resolve(import.meta.dirname, '../../docs/reference/contract.md'), 'utf8'),
  ).toBe(contractPage(checkGroups));
});
