// When the relation refutes a mutant, and when the judge finds a violation in the same world.
import { afterAll, expect, test } from 'vitest';
import { rows } from '../../src/rows/protocol.ts';
import { mutantWorld } from './run.ts';
import { unseen } from './unseen.ts';

/** The longest search, in simulated milliseconds. */
const msMax = 1_800_000;
const everyMs = 50;
/** The judge compares what two readers found in effect. The relation sees the next output. */
const stepsUntilOutput = 10;
const lines: string[] = [];

interface Found {
  readonly steps: number;
  readonly minutes: number;
}

/** Returns when the relation refutes the mutant, and when the judge does. */
function findBoth(name: string) {
  const world = mutantWorld(name);
  const { judge: seen } = world;
  let relation: Found | undefined;
  let judge: Found | undefined;
  while ((relation === undefined || judge === undefined) && world.now < msMax) {
    world.pass(everyMs);
    const found = { steps: seen.checked.steps, minutes: world.now / 60_000 };
    if (seen.refuted !== undefined) relation ??= { ...found, steps: seen.refuted.steps };
    if ([...seen.broken.keys()].some((rule) => rule !== 'relation')) judge ??= found;
  }
  return { relation, judge };
}

const textOf = (found: Found | undefined): string =>
  found === undefined ? 'no' : `${found.steps} steps, ${found.minutes.toFixed(1)} min`;

test.each(
  rows.mutants
    .filter(({ name }) => !(name in unseen))
    .map(({ rule, name }) => [rule, name] as const),
)('the relation refutes the mutant %s: %s no later than the judge', (rule, name) => {
  const found = findBoth(name);
  lines.push(`| ${rule} | \`${name}\` | ${textOf(found.relation)} | ${textOf(found.judge)} |`);
  const judgedAt = (found.judge?.steps ?? Number.POSITIVE_INFINITY) + stepsUntilOutput;
  expect(found.relation?.steps).toBeLessThan(judgedAt);
});

test.each(Object.keys(unseen))('the relation does not refute the mutant %s in a minute', (name) => {
  const world = mutantWorld(name);
  world.pass(60_000);
  expect(world.judge.refuted).toBeUndefined();
});

afterAll(() => console.log(`| rule | mutant | relation | judge |\n${lines.join('\n')}`));
