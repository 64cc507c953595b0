import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

// The compiler does not read `.mjs` files: members of the process tests, mostly. A name that was
// renamed in a package would only be missed when the process starts, in a test of minutes.

const root = resolve(import.meta.dirname, '../..');

/** Names that a statement imports or re-exports, and from where. */
interface Imported {
  readonly names: readonly string[];
  readonly from: string;
}

/** Returns the named imports and re-exports of a module in the repository's format. */
function importsIn(text: string): readonly Imported[] {
  const statements = text.matchAll(
    /^(?:import|export) (?!type)(\w+)?,? ?\{?([^;}]*)\}? from '([^']+)';/gm,
  );
  return [...statements].map(([, single, list = '', from = '']) => ({
    names: [...(single === undefined ? [] : ['default']), ...namesIn(list).map(([name]) => name)],
    from,
  }));
}

/** Returns each name of a list, and the name after `as`; types are left out. */
function namesIn(list: string): (readonly [name: string, as: string])[] {
  return list
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '' && !/^(?:type|\*) /.test(one))
    .map((one) => one.split(' as '))
    .map(([name = '', as = name]) => [name, as]);
}

/** Returns the names of the values that a module exports. */
function exportsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const declared = text.matchAll(
    /^export (?:declare |abstract |async )*(?:const|let|class|enum|function\*?) (\w+)/gm,
  );
  const listed = text.matchAll(/^export \{([^}]*)\}/gm);
  const passedOn = text.matchAll(/^export \* from '([^']+)'/gm);
  return [
    ...[...declared].map(([, name = '']) => name),
    ...[...listed].flatMap(([, list = '']) => namesIn(list).map(([, as]) => as)),
    ...[...passedOn].flatMap(([, from = '']) => exportsOf(resolve(dirname(file), from))),
  ];
}

/** Returns the source of an import, or `undefined` if the module is not of this repository. */
function sourceOf(from: string, importer: string): string | undefined {
  if (from.startsWith('.'))
    return resolve(dirname(importer), from)
      .replace(/\/(dist|lib)\//, '/src/')
      .replace(/\.js$/, '.ts');
  const [, name, path = ''] = /^@leadership\/(\w+)(\/.*)?$/.exec(from) ?? [];
  if (name === undefined) return undefined;
  const home = name === 'tools' ? 'tools' : `packages/${name}`;
  const { exports } = JSON.parse(readFileSync(join(root, home, 'package.json'), 'utf8'));
  const source = exports[`.${path}`]?.['@leadership/source'];
  return source === undefined ? `${from} (no entry point)` : join(root, home, source);
}

/** Returns one line for each import of a name that its module does not export. */
function missingIn(text: string, importer: string): readonly string[] {
  return importsIn(text).flatMap(({ names, from }) => {
    const source = sourceOf(from, importer);
    if (source === undefined) return [];
    if (!existsSync(source)) return [`${from} does not exist`];
    const exported = exportsOf(source);
    return names
      .filter((name) => !exported.includes(name))
      .map((name) => `${from} does not export ${name}`);
  });
}

const skipped = /(?:^|\/)(?:node_modules|dist|coverage)(?:\/|$)/;
const modules = ['bench', 'examples', 'packages', 'simulation', 'tools'].flatMap((home) =>
  readdirSync(join(root, home), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.mjs') && !skipped.test(file))
    .map((file) => join(root, home, file)),
);

describe('a module that the compiler does not read', () => {
  it.each(modules.map((file) => relative(root, file)))('imports what exists: %s', (file) => {
    const importer = join(root, file);
    expect(missingIn(readFileSync(importer, 'utf8'), importer)).toEqual([]);
  });
});

describe('the check of imports', () => {
  const importer = join(root, 'packages/file/test/contender.mjs');

  it.each([
    ["import { openLeadership, allOf as all } from '@leadership/core';", []],
    ["import {\n  fileLeadership,\n} from '../dist/index.js';", []],
    [
      "import { oldName, allOf } from '@leadership/core';",
      ['@leadership/core does not export oldName'],
    ],
    ["export { oldName } from '../dist/index.js';", ['../dist/index.js does not export oldName']],
    ["import file from '@leadership/file';", ['@leadership/file does not export default']],
    ["import { Term } from '@leadership/core';", ['@leadership/core does not export Term']],
    ["import { a } from '../dist/moved.js';", ['../dist/moved.js does not exist']],
    ["import { a } from '@leadership/core/old';", ['@leadership/core/old does not exist']],
    ["import { anything } from 'another-package';", []],
  ])('of %j finds %j', (text, missing) => {
    expect(missingIn(text, importer)).toEqual(missing);
  });
});
