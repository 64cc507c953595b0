import { nerioDrift, nerioSkew } from '../../src/nerio/protocol.ts';
import { keepsItsRules } from '../worlds.ts';
import { slowToReport, trial } from './trial.ts';

for (const protocol of [nerioDrift, nerioSkew])
  keepsItsRules(
    `${protocol.name} believes only with a quorum of grants in %s`,
    protocol,
    // The minimum length for which counters are judged.
    (scenario) =>
      Math.max(
        protocol.judgedAfterMs(scenario),
        slowToReport.has(scenario.name) ? 2 * trial.ms : trial.ms,
      ),
  );
