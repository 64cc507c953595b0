import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { mutantsIn } from '../../src/prove/model-text.ts';
import { worlds } from '../../src/prove/worlds.ts';

const folder = resolve(import.meta.dirname, '../../../models');
const models = readdirSync(folder).map((file) => ({
  model: file.replace('.pml', ''),
  mutants: mutantsIn(readFileSync(resolve(folder, file), 'utf8')),
}));

it('numbers the mutants of a model from 1', () => {
  for (const { mutants } of models)
    expect(mutants.map(({ number }) => number)).toEqual(mutants.map((_, index) => index + 1));
});

it('names a mutant in each world, and only mutants of its model', () => {
  for (const { name, model, mutants } of worlds) {
    const known = models.find((candidate) => candidate.model === model)?.mutants ?? [];
    expect(mutants.length, name).toBeGreaterThan(0);
    expect(known.map((mutant) => mutant.name)).toEqual(expect.arrayContaining([...mutants]));
  }
});
