// Checks the links of the built site, also those to headings, which VitePress does not check.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the links of a built site that lead nowhere, each as a sentence. */
export function deadLinksIn(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const pages = new Map(
    files
      .filter((name) => name.endsWith('.html'))
      .map((name) => [`/${name}`, pageIn(folder, name)]),
  );
  const others = new Set(files.map((name) => `/${name}`));
  return [...pages].flatMap(([path, { links }]) =>
    links.filter((link) => !isAlive(path, link)).map((link) => `${path} links to ${link}`),
  );

  function isAlive(from: string, link: string): boolean {
    const { pathname, hash } = new URL(link, `http://site${from}`);
    const path = decodeURI(pathname.replace(/\/$/, '/index.html'));
    const page = pages.get(path);
    if (page === undefined) return others.has(path);
    return hash === '' || page.anchors.has(decodeURIComponent(hash.slice(1)));
  }
}

interface BuiltPage {
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

function pageIn(folder: string, name: string): BuiltPage {
  const html = readFileSync(join(folder, name), 'utf8');
  const values = (attribute: string): readonly string[] =>
    [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map(([, value = '']) => value);
  const links = values('href').filter((link) => !/^[a-z]+:/.test(link));
  return { links: [...new Set(links)], anchors: new Set(values('id')) };
}
