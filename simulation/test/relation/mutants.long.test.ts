// When the relation refutes a mutant, and when the judge finds a violation in the same world.
import { afterAll, expect, test } from 'vitest';
import { named } from '../../src/kernel/protocol.ts';
import { runUntil } from '../../src/kernel/timeline.ts';
import { mutants } from '../../src/ledger/mutants.ts';
import { ledger } from '../../src/ledger/protocol.ts';
import { scenarios } from '../../src/ledger/scenarios.ts';
import { unseen } from './unseen.ts';

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
function findBoth(name: string): { readonly relation?: Found; readonly judge?: Found } {
  const { scenario, overrides } = named(mutants, name);
  const world = ledger.newWorld(named(scenarios, scenario), 1, overrides);
  const { judge: seen } = world;
  let relation: Found | undefined;
  let judge: Found | undefined;
  while ((relation === undefined || judge === undefined) && world.now < msMax) {
    runUntil(world, world.now + everyMs);
    const found = { steps: seen.checked.steps, minutes: world.now / 60_000 };
    if (seen.refuted !== undefined) relation ??= { ...found, steps: seen.refuted.steps };
    if ([...seen.broken.keys()].some((rule) => rule !== 'relation')) judge ??= found;
  }
  return { ...(relation && { relation }), ...(judge && { judge }) };
}

const textOf = (found: Found | undefined): string =>
  found === undefined ? 'no' : `${found.steps} steps, ${found.minutes.toFixed(1)} min`;

const lines: string[] = [];

test.each(mutants.filter(({ name }) => !(name in unseen)).map(({ rule, name }) => [rule, name]))(
  'refutes the mutant %s: %s no later than the judge',
  (rule, name) => {
    const { relation, judge } = findBoth(name as string);
    lines.push(`| ${rule} | \`${name}\` | ${textOf(relation)} | ${textOf(judge)} |`);
    const judgedAt = (judge?.steps ?? Number.POSITIVE_INFINITY) + stepsUntilOutput;
    expect(relation?.steps).toBeLessThan(judgedAt);
  },
);

afterAll(() => console.log(`| rule | mutant | relation | judge |\n${lines.join('\n')}`));
