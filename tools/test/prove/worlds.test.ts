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

it('refutes every mutant of a model in a world', () => {
  const refuted = new Set(worlds.flatMap(({ mutants }) => mutants));
  const known = models.flatMap(({ mutants }) => mutants.map(({ name }) => name));
  expect(known.filter((name) => !refuted.has(name))).toEqual([]);
});

it('has a mutant for every rule, and for every hole that earlier forms of the rules had', () => {
  const references = new Set(
    models.flatMap(({ mutants }) => mutants.flatMap(({ refutes }) => refutes)),
  );
  const rules = Array.from({ length: 12 }, (_, index) => `M${index + 1}`);
  const holes = Array.from({ length: 15 }, (_, index) => `hole-${index + 1}`);
  expect([...rules, ...holes].filter((reference) => !references.has(reference))).toEqual([]);
});
