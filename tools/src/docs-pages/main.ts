// Brings the generated parts of the documentation up to date. A test fails if one of them is not.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pagesIn } from './pages.ts';

const root = resolve(import.meta.dirname, '../../..');
for (const { path, text, expected } of pagesIn(root)) {
  if (text === expected) continue;
  writeFileSync(resolve(root, path), expected);
  console.log(`wrote ${path}`);
}
