// A project of a user: an empty directory into which the tarballs are installed.
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Published, Tarball } from './packages.ts';

const run = promisify(execFile);

/** The versions of what a user installs beside the packages. */
const beside = ['rxjs@^7.8.0', '@types/node@20.19.43', 'typescript@6.0.3'];

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

/** Installs the tarballs, saves the README's example and compiles an import of every package. */
export async function prepareProject(
  directory: string,
  tarballs: readonly Tarball[],
  all: readonly Published[],
  readme: string,
): Promise<void> {
  const manifest = { name: 'user', private: true, type: 'module' };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const paths = tarballs.map(({ path }) => path);
  await run('npm', ['install', ...quiet, ...paths, ...beside], { cwd: directory });
  const names = all.map(({ manifest: { name } }) => name).filter((name) => !isCommand(all, name));
  await run('mkdir', ['src'], { cwd: directory });
  await writeFile(join(directory, 'src/imports.ts'), importsOf(names));
  await writeFile(join(directory, 'leader.mjs'), await exampleIn(readme));
  const config = { compilerOptions, include: ['src'] };
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify(config));
  await run('npx', ['tsc'], { cwd: directory }).catch((error: { readonly stdout?: string }) => {
    throw new Error(`the declarations do not compile:\n${error.stdout}`, { cause: error });
  });
}

function isCommand(all: readonly Published[], name: string): boolean {
  return all.some(({ manifest }) => manifest.name === name && manifest.bin !== undefined);
}

function importsOf(names: readonly string[]): string {
  const lines = names.map((name, index) => `import * as p${index} from '${name}';`);
  const uses = names.map((_, index) => `p${index}`).join(', ');
  return `${lines.join('\n')}\nfor (const one of [${uses}]) if (Object.keys(one).length === 0) throw new Error('it exports nothing');\nconsole.log('imported');\n`;
}

/** Returns the first example of a README. */
async function exampleIn(readme: string): Promise<string> {
  const [, example] = /```js\n(.*?)```/s.exec(await readFile(readme, 'utf8')) ?? [];
  if (example === undefined) throw new Error(`${readme} has no example`);
  return example;
}
