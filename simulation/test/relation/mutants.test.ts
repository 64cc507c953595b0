// The limits of a relation: it refutes each mutant of the machine at its first wrong step. It cannot see
// what the host, the reader or the store does wrong, because those are inputs to it, nor a wrong
// choice among steps that the rules permit.
import { describe, expect, test } from 'vitest';
import { named } from '../../src/kernel/protocol.ts';
import { type Relation, relations } from './relations.ts';

/** The longest search, in simulated milliseconds. The longest one takes 7 minutes. */
const msMax = 1_800_000;
const everyMs = 500;

function refute({ mutants, world: newWorld }: Relation, name: string, ms: number) {
  const { scenario, seeds } = named(mutants, name);
  const world = newWorld(scenario, seeds?.at(-1) ?? 1, name);
  while (world.judge.refuted === undefined && world.now < ms) world.pass(everyMs);
  return world.judge.refuted;
}

describe.each(relations)('the relation of $name', (relation) => {
  const { mutants, unseen } = relation;
  const lines: string[] = [];

  test.each(
    mutants.filter(({ name }) => !(name in unseen)).map(({ rule, name }) => [rule, name] as const),
  )('refutes the mutant %s: %s', (rule, name) => {
    const refuted = refute(relation, name, msMax);
    lines.push(`${rule} ${name}: after ${refuted?.steps} steps by ${refuted?.guard}`);
    expect(refuted).toBeDefined();
  });

  test('refutes only mutants of the machine', () => {
    const hidden = Object.entries(unseen).map(([name, why]) => `${name}: ${why}`);
    console.log(`${lines.join('\n')}\nnot refuted:\n${hidden.join('\n')}`);
    const names = mutants.map(({ name }) => name);
    expect(Object.keys(unseen).filter((name) => !names.includes(name))).toEqual([]);
    for (const name of Object.keys(unseen))
      expect([name, refute(relation, name, 60_000)]).toEqual([name, undefined]);
  });
});
