// Finds the pages of `docs/` with generated parts, and the text that each should have.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkGroups } from '@leadership/testkit';
import { contractPage } from './contract-page.ts';
import { withGeneratedParts } from './generated-parts.ts';

/** A page of the documentation, as it is and as it should be. */
export interface Page {
  readonly path: string;
  readonly text: string;
  readonly expected: string;
}

/** Returns all pages below `root` that may have generated parts. */
export function pagesIn(root: string): readonly Page[] {
  const read = (path: string): string => readFileSync(resolve(root, path), 'utf8');
  const names = (folder: string): readonly string[] =>
    readdirSync(resolve(root, folder), { recursive: true, encoding: 'utf8' });
  const paths = [
    'README.md',
    'CONTRIBUTING.md',
    ...readdirSync(resolve(root, 'packages'))
      .map((name) => `packages/${name}/README.md`)
      // A package in preparation has none yet.
      .filter((path) => existsSync(resolve(root, path))),
    ...names('docs')
      .filter((name) => name.endsWith('.md') && !name.startsWith('api'))
      .map((name) => `docs/${name}`),
  ];
  return paths.map((path) => {
    const text = read(path);
    const isContract = path === 'docs/reference/contract.md';
    const expected = isContract ? contractPage(checkGroups) : withGeneratedParts(text, read);
    return { path, text, expected };
  });
}
