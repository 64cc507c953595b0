import { describe, expect, it } from 'vitest';
import { codeIn, tableIn, textOf, unionIn } from './document.ts';

const page = textOf('docs/reference/guarantees.md');

describe('docs/reference/guarantees.md', () => {
  it('explains every assumption of the guarantees', () => {
    const assumptions = unionIn(textOf('packages/core/src/contract/guarantees.ts'), 'Assumption');
    expect(assumptions.length).toBeGreaterThan(3);
    expect(tableIn(page, 'assumption').map(([cell]) => codeIn(cell))).toEqual(assumptions);
  });

  it('states the same values as the README', () => {
    const plain = (cell = ''): string => cell.replaceAll('`', '');
    const inReadme = tableIn(textOf('README.md'), 'backend', 'URL').map(
      ([backend, , , leaders, tokens, handover, failover, assumes]) => [
        backend,
        String(leaders === 'one'),
        tokens,
        handover,
        failover?.replace(' ms', ''),
        assumes,
      ],
    );
    expect(inReadme.length).toBeGreaterThan(6);
    expect(tableIn(page, 'backend', '`exclusive`').map((row) => row.map(plain))).toEqual(inReadme);
  });
});
