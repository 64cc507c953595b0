// An empty project of a user, into which `npm run release:check` installs the packed packages.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile, install, type Published, type Tarball } from './packages.ts';
import { readmeExample } from './snippets.ts';

/** The versions of what a user installs beside the packages. */
export const beside: readonly string[] = [
  'rxjs@^7.8.0',
  '@types/node@20.19.43',
  'typescript@6.0.3',
];

/** The compiler options of a strict user, who also checks the declarations. */
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  types: ['node'],
  outDir: 'dist',
  rootDir: 'src',
};

/**
 * The options of a project with `"module": "commonjs"`, which ignores `exports` and finds an entry
 * point only by `typesVersions`. Libraries of optional peers are missing, hence `skipLibCheck`.
 */
const commonjsOptions = {
  target: 'es2022',
  module: 'commonjs',
  moduleResolution: 'node10',
  strict: true,
  ignoreDeprecations: '6.0',
  skipLibCheck: true,
  types: ['node'],
  noEmit: true,
};

/** Installs the tarballs, saves the README's example and compiles an import of every package. */
export async function prepareProject(
  directory: string,
  tarballs: readonly Tarball[],
  all: readonly Published[],
): Promise<void> {
  const manifest = { name: 'user', private: true, type: 'module' };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  const paths = tarballs.map(({ path }) => path);
  await install(directory, ...paths, ...beside);
  const names = all.map(({ manifest: { name } }) => name).filter((name) => !isCommand(all, name));
  await mkdir(join(directory, 'src'));
  await writeFile(join(directory, 'src/imports.ts'), importsOf(names));
  await writeFile(join(directory, 'leader.mjs'), readmeExample());
  await compile(directory, { compilerOptions, include: ['src'] });
  await compileCommonjs(directory, all);
}

/** Compiles an import of every entry point, such as `@leadership/nestjs/schedule`. */
async function compileCommonjs(directory: string, all: readonly Published[]): Promise<void> {
  const project = join(directory, 'commonjs');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "type": "commonjs" }');
  await writeFile(join(project, 'imports.ts'), typeImportsOf(all.flatMap(entryPoints)));
  await compile(project, { compilerOptions: commonjsOptions, files: ['imports.ts'] });
}

/** Returns what an application may import from a package. */
function entryPoints({ manifest: { name, bin, exports = {} } }: Published): readonly string[] {
  if (bin !== undefined) return [];
  return Object.entries(exports)
    .filter(([, target]) => typeof target === 'object' && 'types' in target)
    .map(([path]) => `${name}${path.slice(1)}`);
}

function typeImportsOf(names: readonly string[]): string {
  return names.map((name, index) => `export type P${index} = typeof import('${name}');\n`).join('');
}

function isCommand(all: readonly Published[], name: string): boolean {
  return all.some(({ manifest }) => manifest.name === name && manifest.bin !== undefined);
}

function importsOf(names: readonly string[]): string {
  const lines = names.map((name, index) => `import * as p${index} from '${name}';`);
  const uses = names.map((_, index) => `p${index}`).join(', ');
  return `${lines.join('\n')}\nfor (const one of [${uses}]) if (Object.keys(one).length === 0) throw new Error('it exports nothing');\nconsole.log('imported');\n`;
}
