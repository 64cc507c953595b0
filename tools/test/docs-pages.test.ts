import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withGeneratedParts } from '../src/docs-pages/generated-parts.ts';
import { pagesIn } from '../src/docs-pages/pages.ts';

const root = resolve(import.meta.dirname, '../..');
const pages = pagesIn(root);

describe('the generated parts of the documentation', () => {
  it.each(pages)('$path is up to date; to update it, run `npm run docs`', ({ text, expected }) => {
    expect(text).toBe(expected);
  });

  it('are replaced by the file or by the fields of the interface', () => {
    const files: Readonly<Record<string, string>> = {
      'a.ts': 'one();\n',
      'b.ts': `export interface B extends A {
  /** The first, or a {@link b}. */
  readonly one?: 1 | 2;
  /**
   * The second,
   * on two lines.
   */
  readonly two: {
    readonly deep: string;
  };
}
`,
    };
    const page = `<!-- include a.ts -->
\`\`\`ts
old();
\`\`\`

<!-- interface b.ts B -->
| old |
| --- |

Text.`;
    expect(withGeneratedParts(page, (path) => files[path] ?? '')).toBe(`<!-- include a.ts -->
\`\`\`ts
one();
\`\`\`

<!-- interface b.ts B -->
| name | type | meaning |
| --- | --- | --- |
| \`one\` | \`1 \\| 2\` | The first, or a \`b\`. |
| \`two\` | \`{ readonly deep: string; }\` | The second, on two lines. |

Text.`);
  });

  it('fail if the interface does not exist', () => {
    const page = '<!-- interface a.ts Gone -->\n';
    expect(() => withGeneratedParts(page, () => '')).toThrow('interface Gone');
  });
});

describe('the way of a call through the files of core', () => {
  const path = resolve(root, 'packages/core/src/README.md');
  const steps = readFileSync(path, 'utf8')
    .split(/^\d+\. /m)
    .slice(1);

  it('has the steps of both calls', () => {
    expect(steps.length).toBeGreaterThan(20);
  });

  it.each(steps)('names files that exist and contain each name: %s', (step) => {
    const [item = ''] = step.split('\n\n');
    const files = [...item.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    expect(files).not.toEqual([]);
    const text = files.map((file) => readFileSync(resolve(dirname(path), file), 'utf8')).join();
    for (const [, name] of item.matchAll(/`(\w+)`/g))
      expect(text).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
