// The sidebar. Its order is that of docs/README.md, which links to every page.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import type { DefaultTheme } from 'vitepress';
import { apiPages, entryPointOf } from './api.ts';
import { pageOf, root } from './pages.ts';

type Item = DefaultTheme.SidebarItem;

const textOf = (file: string): string => readFileSync(resolve(root, file), 'utf8');

/** Returns the sidebar: guides, reference, explanation, packages, decisions. */
export function sidebar(): Item[] {
  const [, ...sections] = textOf('docs/README.md').split(/^## /m);
  return [
    {
      text: 'Start',
      items: [{ text: 'Overview', link: '/' }, item('docs/tutorial/first-election.md')],
    },
    ...sections.map(sectionFrom),
    { text: 'Packages', collapsed: true, items: readmes() },
    { text: 'API', collapsed: true, items: apiPages().map(apiItem) },
    { text: 'Decisions', collapsed: true, items: decisions() },
  ];
}

/** A section of docs/README.md. In a table, each row is a group. */
function sectionFrom(section: string): Item {
  const [title = '', ...lines] = section.split('\n');
  const rows = lines.filter((line) => /^\| .*\]\(/.test(line));
  const groups = rows.map((row) => ({
    text: capitalised(row.split('|')[1]?.trim() ?? ''),
    collapsed: true,
    items: itemsIn(row),
  }));
  return { text: title, items: groups.length > 0 ? groups : itemsIn(section) };
}

function itemsIn(text: string): Item[] {
  const files = [...text.matchAll(/\]\((?!https?:)([^)#]+\.md)/g)].map(([, link = '']) =>
    posix.join('docs', link),
  );
  return [...new Set(files)]
    .filter((file) => /^docs\/(?!decisions)/.test(file))
    .map((file) => item(file));
}

function readmes(): Item[] {
  return readdirSync(resolve(root, 'packages'))
    .map((name) => `packages/${name}/README.md`)
    .filter((file) => existsSync(resolve(root, file)))
    .map((file) => item(file));
}

function decisions(): Item[] {
  return readdirSync(resolve(root, 'docs/decisions'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => item(`docs/decisions/${name}`));
}

function apiItem(file: string): Item {
  return { text: entryPointOf(file) ?? file, link: `/${pageOf(file)}` };
}

function item(file: string): Item {
  const heading = /^# (.*)$/m.exec(textOf(file))?.[1] ?? file;
  const text = heading.replace(/^How to /, '').replaceAll(/[`\\]/g, '');
  return { text: capitalised(text), link: `/${pageOf(file)}` };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
