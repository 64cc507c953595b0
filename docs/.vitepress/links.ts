// Links between files of the repository become links between pages of the site.
import { existsSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { fileOf, pageOf, repository, root } from './pages.ts';

/** Rewrites the links of all pages. A link to a file that does not exist fails the build. */
export function linkPages(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const file = fileOf(env);
    const links = tokens
      .flatMap(({ children }) => children ?? [])
      .filter(({ type }) => type === 'link_open');
    for (const link of links) {
      const href = link.attrGet('href');
      if (href !== null) link.attrSet('href', linkFrom(file, href));
    }
  });
}

/** Returns the address on the site of what a link in a file of the repository leads to. */
function linkFrom(file: string, href: string): string {
  const target = targetOf(file, href);
  if (target === undefined) return href;
  const { path, hash } = target;
  const page = pageOf(path);
  if (page !== undefined) return `/${page}${hash}`;
  if (!existsSync(resolve(root, path))) throw new Error(`${file} links to ${href}: no such file`);
  return `${repository}/blob/main/${path}${hash}`;
}

/** Returns the file of the repository that a link leads to; `undefined` for other links. */
function targetOf(file: string, href: string): { path: string; hash: string } | undefined {
  const [, path = '', hash = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  const inRepository = `${repository}/blob/main/`;
  if (path.startsWith(inRepository)) return { path: path.slice(inRepository.length), hash };
  if (path === '' || /^(\/|[a-z]+:)/.test(path)) return undefined;
  return { path: posix.join(posix.dirname(file), decodeURI(path)), hash };
}

/** Returns the anchor that the host of the repository gives to a heading, so that links hold there and here. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
