// The limits of the relation: it refutes each mutant of the machine at its first wrong step. It cannot
// see what the host, the reader or the store does wrong, because those are inputs to it, nor a wrong
// choice among steps that the rules permit.
import { expect, test } from 'vitest';
import { rows } from '../../src/rows/protocol.ts';
import { mutantWorld } from './run.ts';
import { unseen } from './unseen.ts';

/** The longest search, in simulated milliseconds. The longest one takes 7 minutes. */
const msMax = 1_800_000;
const everyMs = 500;
const lines: string[] = [];

function refute(name: string, ms: number) {
  const world = mutantWorld(name);
  while (world.judge.refuted === undefined && world.now < ms) world.pass(everyMs);
  return world.judge.refuted;
}

const seen = rows.mutants.filter(({ name }) => !(name in unseen));

// One of each rule: the long tests refute the others too.
test.each(
  seen
    .filter(({ rule }, index) => seen.findIndex((other) => other.rule === rule) === index)
    .map(({ rule, name }) => [rule, name] as const),
)('the relation refutes the mutant %s: %s', (rule, name) => {
  const refuted = refute(name, msMax);
  lines.push(`${rule} ${name}: after ${refuted?.steps} steps by ${refuted?.guard}`);
  expect(refuted).toBeDefined();
});

test('the relation refutes only mutants of the machine', () => {
  const hidden = Object.entries(unseen).map(([name, why]) => `${name}: ${why}`);
  console.log(`${lines.join('\n')}\nnot refuted:\n${hidden.join('\n')}`);
  const names = rows.mutants.map(({ name }) => name);
  expect(Object.keys(unseen).filter((name) => !names.includes(name))).toEqual([]);
  for (const name of Object.keys(unseen))
    expect([name, refute(name, 15_000)]).toEqual([name, undefined]);
});
