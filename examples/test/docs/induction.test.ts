import { describe, expect, it } from 'vitest';
import { textOf } from './document.ts';

const page = textOf('docs/explanation/induction.md');
const simulation = 'simulation/src/induction';

function namesIn(text: string, pattern: RegExp): readonly string[] {
  return [...new Set([...text.matchAll(pattern)].map(([, name]) => name ?? ''))].sort();
}

describe('docs/explanation/induction.md', () => {
  it('names exactly the mutants of the simulation', () => {
    const mutants = textOf(`${simulation}/mutants.ts`);
    const known = namesIn(mutants, /mutant\(\s*'\w+',\s*'([^']+)'/g);
    expect(known.length).toBeGreaterThan(20);
    expect(namesIn(page, /`([a-z]+(?:-[a-z]+)+)`/g)).toEqual(known);
  });

  it('mentions every rule of induction', () => {
    for (const rule of ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8'])
      expect(page).toMatch(new RegExp(`\\b${rule}\\b`));
  });
});
