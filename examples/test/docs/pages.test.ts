import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from './document.ts';

const root = resolve(import.meta.dirname, '../../..');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('api'))
    .map((name) => `docs/${name}`),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}/README.md`),
];

describe.each(pages)('%s', (page) => {
  it('links only to existing files', () => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
      ([, link]) => link ?? '',
    );
    const dead = links.filter((link) => !existsSync(resolve(root, dirname(page), link)));
    expect(dead).toEqual([]);
  });

  it('has at most 200 lines', () => {
    expect(textOf(page).split('\n').length - 1).toBeLessThanOrEqual(200);
  });

  it('names only existing npm scripts', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const verbs = [...textOf(page).matchAll(/`npm (?:run )?([a-z:]+)/g)]
      .map(([, verb]) => verb ?? '')
      .filter((verb) => !['install', 'ci'].includes(verb));
    expect(verbs.filter((verb) => !(verb in scripts))).toEqual([]);
  });
});

describe.each(readdirSync(join(root, 'packages')))('packages/%s/README.md', (name) => {
  it('names every entry point of its package that is not internal', () => {
    const { exports } = JSON.parse(textOf(`packages/${name}/package.json`)) as {
      exports: Record<string, unknown>;
    };
    const page = textOf(`packages/${name}/README.md`);
    const promised = Object.keys(exports).filter((key) => !key.startsWith('./internal'));
    const entries = promised.map((key) => `@leadership/${name}${key.slice(1)}`);
    expect(
      entries.filter((entry) => !page.includes(`${entry}\``) && !page.includes(`'${entry}'`)),
    ).toEqual([]);
  });
});
