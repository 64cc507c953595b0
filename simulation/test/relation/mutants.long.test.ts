// When the relation refutes a mutant, and when the judge finds a violation in the same world.
import { afterAll, describe, expect, test } from 'vitest';
import { named } from '../../src/kernel/protocol.ts';
import { type Relation, relations } from './relations.ts';

/** The longest search, in simulated milliseconds. */
const msMax = 1_800_000;
const everyMs = 50;
/** The judge compares what two readers found in effect (L1). The relation sees the next output. */
const stepsUntilOutput = 10;

interface Found {
  readonly steps: number;
  readonly minutes: number;
}

/** Returns when the relation refutes the mutant, and when the judge does. */
function findBoth({ mutants, world: newWorld }: Relation, name: string) {
  const { scenario, seeds } = named(mutants, name);
  const world = newWorld(scenario, seeds?.at(-1) ?? 1, name);
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

describe.each(relations)('the relation of $name', (relation) => {
  const { mutants, unseen } = relation;
  const lines: string[] = [];

  test.each(mutants.filter(({ name }) => !(name in unseen)).map(({ rule, name }) => [rule, name]))(
    'refutes the mutant %s: %s no later than the judge',
    (rule, name) => {
      const found = findBoth(relation, name as string);
      lines.push(`| ${rule} | \`${name}\` | ${textOf(found.relation)} | ${textOf(found.judge)} |`);
      const judgedAt = (found.judge?.steps ?? Number.POSITIVE_INFINITY) + stepsUntilOutput;
      expect(found.relation?.steps).toBeLessThan(judgedAt);
    },
  );

  afterAll(() => console.log(`| rule | mutant | relation | judge |\n${lines.join('\n')}`));
});
