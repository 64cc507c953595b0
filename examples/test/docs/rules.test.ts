import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { textOf } from './document.ts';

const root = resolve(import.meta.dirname, '../../..');
const homes = ['packages', 'simulation', 'tools', 'bench', 'examples'];
const generated = /(?:^|\/)(?:node_modules|dist|etc|coverage)\//;

/** Returns the paths of all source and test files. */
function sources(): readonly string[] {
  return homes.flatMap((home) =>
    readdirSync(join(root, home), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !generated.test(path))
      .map((path) => `${home}/${path}`),
  );
}

/** Returns the rules that the rows of the page define. */
function defined(): ReadonlySet<string> {
  const rows = textOf('docs/reference/rules.md').matchAll(/^\| ([A-Z]\d+) \|/gm);
  return new Set([...rows].map(([, rule = '']) => rule));
}

describe('docs/reference/rules.md', () => {
  it('defines every rule that the code or a test cites', () => {
    const rules = defined();
    const undefinedOnes = sources().flatMap((path) =>
      [...textOf(path).matchAll(/\b[HILNRST]\d{1,2}\b/g)]
        .map(([rule]) => rule)
        .filter((rule) => !rules.has(rule))
        .map((rule) => `${path}: ${rule}`),
    );
    expect(undefinedOnes).toEqual([]);
  });
});
