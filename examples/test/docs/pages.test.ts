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

/** Returns the anchors that GitHub gives to the headings of a page. */
function anchorsIn(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns the paragraphs and list items of a page, without tables, headings and code. */
function paragraphsIn(text: string): readonly string[] {
  return text
    .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .filter((block) => !/^\s*[|#<]/.test(block));
}

/** Returns how many sentences end in a text. A dot inside of code or of a word ends none. */
function sentencesIn(text: string): number {
  return [...text.replaceAll(/`[^`]*`/g, 'x').matchAll(/[.!?](?=[)*"\]]*(?:\s|$))/g)].length;
}

describe.each(pages)('%s', (page) => {
  it('links only to existing files', () => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
      ([, link]) => link ?? '',
    );
    const dead = links.filter((link) => !existsSync(resolve(root, dirname(page), link)));
    expect(dead).toEqual([]);
  });

  it('links only to existing headings', () => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)/g)].map(
      ([, path = '', anchor = '']) => [path, anchor] as const,
    );
    const dead = links.filter(([path, anchor]) => {
      const target = path === '' ? page : join(dirname(page), path);
      return !anchorsIn(textOf(target)).includes(anchor);
    });
    expect(dead).toEqual([]);
  });

  it('shows no declaration with `using`, which Node 20 and 22 cannot parse', () => {
    expect(textOf(page)).not.toMatch(/^\s*(?:await )?using \w+ =/m);
  });

  it('has paragraphs of at most five sentences', () => {
    const long = paragraphsIn(textOf(page)).filter((text) => sentencesIn(text) > 5);
    expect(long).toEqual([]);
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

describe('docs/README.md', () => {
  it('links to every page, except to the decisions after the first', () => {
    const linked = [...textOf('docs/README.md').matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) =>
      join('docs', link ?? ''),
    );
    const listed = pages.filter((page) => /^docs\/(?!decisions|README)/.test(page));
    expect(listed.filter((page) => !linked.includes(page))).toEqual([]);
  });

  it('has at most 60 lines', () => {
    expect(textOf('docs/README.md').split('\n').length - 1).toBeLessThanOrEqual(60);
  });
});

describe.each(readdirSync(join(root, 'packages')))('packages/%s/README.md', (name) => {
  it('names every entry point of its package that is not internal', () => {
    const { exports } = JSON.parse(textOf(`packages/${name}/package.json`)) as {
      exports: Record<string, unknown>;
    };
    const page = textOf(`packages/${name}/README.md`);
    const promised = Object.keys(exports).filter(
      (key) => !key.startsWith('./internal') && key !== './package.json',
    );
    const entries = promised.map((key) => `@leadership/${name}${key.slice(1)}`);
    expect(
      entries.filter((entry) => !page.includes(`${entry}\``) && !page.includes(`'${entry}'`)),
    ).toEqual([]);
  });
});
