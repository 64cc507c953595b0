// The generated pages of the API: one for each entry point.
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { fileOf, root } from './pages.ts';

/** Returns the files of the entry points. */
export function apiPages(): readonly string[] {
  const folder = resolve(root, 'docs/api');
  if (!existsSync(folder)) throw new Error('docs/api does not exist. Run: npm run docs');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.endsWith('modules.md'))
    .sort()
    .map((name) => `docs/api/${name}`);
}

/** Returns the entry point that a page describes, as a program imports it. */
export function entryPointOf(file: string): string | undefined {
  return /^docs\/api\/(.*?)(?:\/index)?\.md$/.exec(file)?.[1];
}

/** Sets the titles of these pages: the generator calls the main entry point of a package "index". */
export function nameEntryPoints(markdown: MarkdownRenderer): void {
  markdown.core.ruler.before('inline', 'entry-points', ({ tokens, env }) => {
    const name = entryPointOf(fileOf(env));
    const title = tokens.find(({ type }) => type === 'heading_open');
    const text = title && tokens[tokens.indexOf(title) + 1];
    if (name !== undefined && text !== undefined && title.tag === 'h1') text.content = name;
  });
}
