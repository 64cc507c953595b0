import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withGeneratedParts } from '../src/docs-pages/generated-parts.ts';
import { pagesIn } from '../src/docs-pages/pages.ts';

const pages = pagesIn(resolve(import.meta.dirname, '../..'));

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
