// The demands of `npm run release:check` on each package. Each check returns its complaints, as
// sentences.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Manifest, Published, Tarball } from './packages.ts';

/** The largest tarball. Bytes. A larger one contains something that does not belong there. */
const sizeMax = 1_000_000;

/** Files that every package contains. */
const required = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];

/** Files that no package contains. */
const forbidden = /(^|\/)(test|node_modules|etc)\/|\.tsbuildinfo$|\.test\.|(^|\/)\.env/;

/** The licences that an MIT package may depend on. */
const licences = [
  'MIT',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  // The public domain, as the client of NATS depends on tweetnacl.
  'Unlicense',
];

/** Checks the contents and the size of a tarball. */
export function checkTarball({ name, size, files }: Tarball): readonly string[] {
  return [
    ...required.filter((file) => !files.includes(file)).map((file) => `${name} lacks ${file}`),
    ...files
      .filter((file) => forbidden.test(file))
      .map((file) => `${name} contains ${file}: correct "files" in its package.json`),
    ...(size > sizeMax ? [`${name} has ${size} bytes; at most ${sizeMax} are allowed`] : []),
  ];
}

/** Checks that the changesets name published packages. Otherwise no version can be made of them. */
export function checkChangesets(directory: string, all: readonly Published[]): readonly string[] {
  const known = new Set(all.map(({ manifest }) => manifest.name));
  const files = readdirSync(directory).filter((file) => file.endsWith('.md'));
  return files.flatMap((file) => {
    const [, head = ''] = readFileSync(join(directory, file), 'utf8').split(/^---$/m);
    return Array.from(head.matchAll(/^'([^']+)':/gm), ([, name = '']) => name)
      .filter((name) => !known.has(name))
      .map((name) => `${file} names ${name}, which is not published from this repository`);
  });
}

/** Checks that the packages depend on each other's current versions. */
export function checkVersions(all: readonly Published[]): readonly string[] {
  const versions = new Map(all.map(({ manifest }) => [manifest.name, manifest.version]));
  return all.flatMap(({ manifest: { name, dependencies, peerDependencies } }) =>
    Object.entries({ ...dependencies, ...peerDependencies })
      .filter(([other]) => other.startsWith('@leadership/'))
      .filter(([other, range]) => range !== `^${versions.get(other)}`)
      .map(([other, range]) => {
        const version = versions.get(other);
        return version === undefined
          ? `${name} depends on ${other}, which is not published`
          : `${name} depends on ${other}@${range}, but its version is ${version}`;
      }),
  );
}

/** Checks what a registry needs to publish a package with its provenance. */
export function checkProvenance({
  name,
  publishConfig,
  repository,
  license,
}: Manifest): readonly string[] {
  return [
    ...(publishConfig?.access === 'public'
      ? []
      : [`${name} lacks "publishConfig": { "access": "public" }`]),
    ...(repository?.url?.startsWith('git+https://') && repository.directory !== undefined
      ? []
      : [`${name} lacks "repository" with "url" and "directory", which its provenance names`]),
    ...(license === 'MIT' ? [] : [`${name} has the licence ${license}, not MIT`]),
  ];
}

/** Checks the licences of all packages that are installed in a project. */
export async function checkLicences(project: string): Promise<readonly string[]> {
  const options = { cwd: project, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)('npm', ['query', '*'], options);
  // The project itself has no location, and needs no licence.
  return (JSON.parse(stdout) as readonly (Manifest & { readonly location: string })[])
    .filter(({ location, license }) => location !== '' && !isAllowed(license))
    .map(({ name, version, license }) => `${name}@${version} has the licence ${license}`);
}

/** `(MIT OR Apache-2.0)` is allowed if one of the two is; `A AND B` only as a whole. */
function isAllowed(license: unknown): boolean {
  if (typeof license !== 'string') return false;
  const choices = license.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => licences.includes(choice));
}
