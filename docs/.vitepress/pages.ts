// Which files of the repository are pages of the site, and where.
import { posix, resolve } from 'node:path';

/** The repository on this machine. */
export const root: string = resolve(import.meta.dirname, '../..');

/** The repository, where the sources of the pages are shown. */
export const repository = 'https://github.com/leadership-js/leadership';

/**
 * The files that become pages, as patterns with capture groups, and the path of the page. Both
 * read well on the host of the repository, so the files stay where they are.
 */
const places: readonly (readonly [file: RegExp, page: string])[] = [
  [/^README\.md$/, 'index.md'],
  [/^CONTRIBUTING\.md$/, 'contributing.md'],
  [/^docs\/README\.md$/, 'pages.md'],
  [/^docs\/api\/modules\.md$/, 'api/index.md'],
  [/^docs\/(?!images\/)(.+\.md)$/, '$1'],
  [/^packages\/([^/]+)\/README\.md$/, 'packages/$1.md'],
];

/** Returns the path of the page of a file, or `undefined` if the site does not show the file. */
export function pageOf(file: string): string | undefined {
  const place = places.find(([pattern]) => pattern.test(file));
  return place && file.replace(...place);
}

/** The file of the page that is being rendered, relative to the repository. */
export function fileOf(env: { readonly realPath?: string; readonly path?: string }): string {
  return posix.relative(root, env.realPath ?? env.path ?? '');
}
