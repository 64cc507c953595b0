import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from './document.ts';

const root = resolve(import.meta.dirname, '../../..');
interface Manifest {
  readonly private?: boolean;
  readonly homepage: string;
  readonly bugs: string;
  readonly files: readonly string[];
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly repository: { readonly url: string; readonly directory?: string };
}
const manifestOf = (path: string): Manifest => JSON.parse(textOf(path)) as Manifest;
const { repository, bugs } = manifestOf('package.json');
/** The address of the project. All packages must agree with the package.json of the root. */
const home = repository.url.replace(/^git\+(.*)\.git$/, '$1');

/** A package stays private until it is complete. */
const published = readdirSync(join(root, 'packages')).filter(
  (name) => manifestOf(`packages/${name}/package.json`).private !== true,
);

describe.each(published)('packages/%s', (name) => {
  const manifest = manifestOf(`packages/${name}/package.json`);

  it('states the addresses of its sources, its homepage and its issues', () => {
    expect(manifest.repository).toEqual({ ...repository, directory: `packages/${name}` });
    expect(manifest.homepage).toBe(`${home}/tree/main/packages/${name}#readme`);
    expect(manifest.bugs).toBe(bugs);
  });

  it('offers its machines only under conditions that no user sets', () => {
    // Other packages import these when they run; the machines stay private.
    const shared = ['engine', 'guard', 'lease', 'rows', 'transport', 'vitest'].map(
      (owner) => `./internal/${owner}`,
    );
    const machines = Object.entries(manifest.exports).filter(
      ([subpath]) => subpath.startsWith('./internal/') && !shared.includes(subpath),
    );
    const conditions = machines.map(([, targets]) => Object.keys(targets));
    expect(conditions).toEqual(machines.map(() => ['@leadership/source', '@leadership/internal']));
  });

  it('publishes a changelog, a license and a README', () => {
    for (const file of ['CHANGELOG.md', 'LICENSE', 'README.md'])
      expect(existsSync(join(root, 'packages', name, file)), file).toBe(true);
    expect(manifest.files).toContain('CHANGELOG.md');
  });

  it('contains only absolute links, which also work on a registry page, to existing files', () => {
    const links = [...textOf(`packages/${name}/README.md`).matchAll(/\]\(([^)#\s]+)/g)].map(
      ([, link]) => link ?? '',
    );
    expect(links.filter((link) => !link.startsWith('https://'))).toEqual([]);
    const own = links
      .filter((link) => link.startsWith(`${home}/blob/main/`))
      .map((link) => link.slice(`${home}/blob/main/`.length));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
