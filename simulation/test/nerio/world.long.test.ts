import { expect, test } from 'vitest';
import { named, simulate } from '../../src/kernel/protocol.ts';
import { nerioDrift, nerioSkew } from '../../src/nerio/protocol.ts';
import { slowToReport, trial } from './trial.ts';

test.each(
  [nerioDrift, nerioSkew].flatMap((protocol) =>
    protocol.scenarios.map(({ name }) => [protocol.name, name, protocol] as const),
  ),
)('%s believes only with a quorum of grants in %s', (_protocol, name, protocol) => {
  const scenario = named(protocol.scenarios, name);
  // The minimum length for which counters are judged.
  const ms = Math.max(
    protocol.judgedAfterMs(scenario),
    slowToReport.has(name) ? 2 * trial.ms : trial.ms,
  );
  const { broken, first } = simulate(protocol, scenario, trial.seed, { ms });
  expect(broken, first).toEqual({});
});
