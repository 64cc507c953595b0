// Packs the packages that a release publishes, for `npm run release:check`.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The fields of a `package.json` that the checks read. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly license?: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly publishConfig?: { readonly access?: string };
  readonly repository?: { readonly url?: string; readonly directory?: string };
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

/** A package of this repository that a release publishes. */
export interface Published {
  readonly directory: string;
  readonly manifest: Manifest;
}

/** A tarball written by `npm pack`. */
export interface Tarball {
  readonly name: string;
  /** The path of the tarball. */
  readonly path: string;
  /** The size of the tarball. Bytes. */
  readonly size: number;
  /** The paths of its files, relative to the package. */
  readonly files: readonly string[];
}

/** Returns the packages under `packages/` that are not private. */
export function publishedIn(root: string): readonly Published[] {
  return readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name))
    .map((directory) => ({ directory, manifest: manifestIn(directory) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/** Reads the `package.json` of a directory. */
function manifestIn(directory: string): Manifest {
  return JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
}

/** The output of `npm pack` about one package. */
interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/**
 * Packs packages into `destination`, all by one npm: each start of npm takes as long as several
 * packages.
 */
export async function pack(
  packages: readonly Published[],
  destination: string,
): Promise<readonly Tarball[]> {
  const { stdout } = await run(
    'npm',
    [
      'pack',
      '--json',
      '--ignore-scripts',
      '--pack-destination',
      destination,
      ...packages.map(({ directory }) => directory),
    ],
    { maxBuffer: 2 ** 26 },
  );
  // npm 12 returns an object by package name instead of a list.
  const packed = Object.values(JSON.parse(stdout) as Readonly<Record<string, Packed>>);
  return packed.map(({ name, filename, size, files }) => {
    return { name, path: join(destination, filename), size, files: files.map(({ path }) => path) };
  });
}

/** Installs packages into a project. Rejects with what npm says. */
export async function install(project: string, ...args: readonly string[]): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  await run('npm', ['install', ...quiet, ...args], { cwd: project });
}

/** Compiles a project, whose directory has TypeScript. Rejects with what the compiler says. */
export async function compile(directory: string, config: object): Promise<void> {
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
  await run('npx', ['tsc'], { cwd: directory }).catch((error: { readonly stdout?: string }) => {
    throw new Error(`the project does not compile:\n${error.stdout}`, { cause: error });
  });
}
