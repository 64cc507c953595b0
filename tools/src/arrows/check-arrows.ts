import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { arrows, confined } from './table.ts';

/**
 * Returns a sentence for each import that no arrow allows. `files`: the paths of sources and tests
 * below `root`, with `/`.
 */
export function wrongImports(root: string, files: readonly string[]): readonly string[] {
  return files.flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return ts
      .preProcessFile(text, true, true)
      .importedFiles.map(({ fileName }) => reasonAgainst(file, fileName))
      .filter((reason) => reason !== undefined)
      .map((reason) => `${file}: ${reason}`);
  });
}

function reasonAgainst(file: string, name: string): string | undefined {
  const target = name.startsWith('.') ? join(dirname(file), name) : undefined;
  if (target !== undefined && homeOf(target) !== homeOf(file))
    return reasonAgainstFar(file, name, target);
  const isSource = file.startsWith(`${homeOf(file)}/src/`);
  if (!isSource) return undefined;
  if (target?.startsWith(`${homeOf(file)}/test/`)) return `${name} is a test`;
  const folder = lineOf(file);
  if (folder === undefined) return `the table of arrows has no line for ${file}`;
  const names = target === undefined ? namesOf(name) : [folderOf(target), lineOf(target)];
  const allowed = [folder, ...(arrows[folder] ?? '').split(' ')];
  if (names.length === 0 || names.some((one) => one !== undefined && allowed.includes(one)))
    return undefined;
  return `the table of arrows does not let ${folder} import ${name}`;
}

/** Judges an import of a file of another package: tests of private packages share some. */
function reasonAgainstFar(file: string, name: string, target: string): string | undefined {
  const isShared = file.includes('/test/') && !/^packages\/[^/]+\/src\//.test(target);
  return isShared
    ? undefined
    : `${name} is a file of another package; import it by the name of that package`;
}

/** Returns the names by which a line may allow a module that is not a file; none: any may import it. */
function namesOf(name: string): readonly string[] {
  if (name.startsWith('node:')) return ['node', name];
  const entry = /^@leadership\/(.*)$/.exec(name)?.[1];
  if (entry !== undefined) {
    const parts = entry.split('/');
    return [entry, ...parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/*`)];
  }
  const owner = [...confined].find((one) => name === one || name.startsWith(`${one}/`));
  return owner === undefined ? [] : [owner];
}

/** Returns the folder of a package, such as `packages/core`. */
function homeOf(file: string): string {
  return file
    .split('/')
    .slice(0, file.startsWith('packages/') ? 2 : 1)
    .join('/');
}

/** Returns the path below the sources, such as `core/contract/backend.ts`. */
function folderOf(path: string): string {
  const home = homeOf(path);
  return join(home.replace('packages/', ''), relative(join(home, 'src'), path));
}

/** Returns the line of the table that speaks for a file. */
function lineOf(path: string): string | undefined {
  for (let folder = folderOf(path); folder !== '.'; folder = dirname(folder))
    if (Object.hasOwn(arrows, folder)) return folder;
  return undefined;
}
