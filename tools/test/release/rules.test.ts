import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { publishedIn } from '../../src/release/packages.ts';
import {
  checkChangesets,
  checkLicences,
  checkProvenance,
  checkTarball,
  checkVersions,
} from '../../src/release/rules.ts';

const files = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'dist/index.js'];
const tarball = { name: 'x', path: '', size: 1000, files };

test('a tarball needs its documents, and contains no tests, build state or secrets', () => {
  expect(checkTarball(tarball)).toEqual([]);
  expect(checkTarball({ ...tarball, files: files.slice(0, 2) })).toEqual([
    'x lacks LICENSE',
    'x lacks CHANGELOG.md',
  ]);
  const extra = ['test/a.test.ts', 'dist/.tsbuildinfo', '.env', 'etc/x.api.md'];
  expect(checkTarball({ ...tarball, files: [...files, ...extra] }).length).toBe(4);
  expect(checkTarball({ ...tarball, size: 2_000_000 })).toEqual([
    'x has 2000000 bytes; at most 1000000 are allowed',
  ]);
});

test('a changeset names published packages only', async () => {
  const root = resolve(import.meta.dirname, '../../..');
  const all = publishedIn(root);
  expect(checkChangesets(join(root, '.changeset'), all)).toEqual([]);
  const folder = await mkdtemp(join(tmpdir(), 'leadership-changesets-'));
  await writeFile(
    join(folder, 'a.md'),
    "---\n'@leadership/core': minor\n'@leadership/x': minor\n---\n\nText.\n",
  );
  expect(checkChangesets(folder, all)).toEqual([
    'a.md names @leadership/x, which is not published from this repository',
  ]);
  await rm(folder, { recursive: true });
});

test('a package depends on published packages only, at their current versions', () => {
  const core = { directory: '', manifest: { name: '@leadership/core', version: '1.1.0' } };
  const of = (dependencies: Readonly<Record<string, string>>) =>
    checkVersions([
      core,
      { directory: '', manifest: { name: '@leadership/x', version: '1.1.0', dependencies } },
    ]);
  expect(of({ '@leadership/core': '^1.1.0', rxjs: '7' })).toEqual([]);
  expect(of({ '@leadership/core': '^1.0.0' })).toEqual([
    '@leadership/x depends on @leadership/core@^1.0.0, but its version is 1.1.0',
  ]);
  expect(of({ '@leadership/y': '^1.0.0' })).toEqual([
    '@leadership/x depends on @leadership/y, which is not published',
  ]);
});

test('a package is public, and names its repository and licence', () => {
  expect(checkProvenance({ name: 'x', version: '1.0.0' }).length).toBe(3);
});

test('the licences of all installed packages are allowed', async () => {
  const project = await mkdtemp(join(tmpdir(), 'licences-'));
  const install = async (path: string, license: unknown): Promise<void> => {
    await mkdir(join(project, 'node_modules', path), { recursive: true });
    const manifest = { name: path, version: '1.0.0', license };
    await writeFile(join(project, 'node_modules', path, 'package.json'), JSON.stringify(manifest));
  };
  await install('good', '(GPL-3.0 OR MIT)');
  await install('@scope/bad', 'GPL-3.0');
  await install('good/node_modules/none', undefined);
  expect([...(await checkLicences(project))].sort()).toEqual([
    '@scope/bad@1.0.0 has the licence GPL-3.0',
    'good/node_modules/none@1.0.0 has the licence undefined',
  ]);
  await rm(project, { recursive: true });
});

test('the packages of this repository keep the rules', () => {
  const all = publishedIn(resolve(import.meta.dirname, '../../..'));
  expect(all.length).toBeGreaterThan(5);
  expect([
    ...checkVersions(all),
    ...all.flatMap(({ manifest }) => checkProvenance(manifest)),
  ]).toEqual([]);
});
