// Wrong versions of rule I2, which the simulation must catch.
import { type Mutant, mutant } from '../kernel/mutant.ts';
import type { Overrides } from './scenario.ts';

/** Mutants of I2: the publication time of a beat. */
export const clockMutants: readonly Mutant<Overrides>[] = [
  mutant('I2', 'own-beats-by-receipt', 'starved', 'I2', {
    does: 'treats its own beat as published on arrival, so that the backlog of a starved member looks fresh',
    overrides: { rules: { ownPublishedAt: (_sent, receivedAt) => receivedAt } },
  }),
  mutant('I2', 'beats-by-receipt', 'skewed', 'I2', {
    does: 'treats the beats of others as published on arrival',
    overrides: { rules: { publishedAt: (_earliest, receivedAt) => receivedAt } },
  }),
  mutant('I2', 'no-drift-between-clocks', 'skewed', 'I2', {
    does: 'compares the clock of the broker once, and assumes that both clocks run at the same rate',
    overrides: { rules: { leastElapsedMs: (brokerMs) => brokerMs } },
  }),
  mutant('I2', 'clock-outlives-its-broker', 'skewed', 'I2', {
    does: 'keeps its bounds on the clock of one broker when another broker leads the partition',
    overrides: { rules: { afterRestart: (clock) => clock } },
    seeds: [5, 13, 4],
  }),
  mutant('I2', 'steps-unnoticed', 'stepping', 'I2', {
    does: 'keeps its bounds on a clock although one of its own beats contradicts them',
    overrides: { rules: { agrees: () => true } },
  }),
  mutant('I2', 'stamps-from-the-future', 'stepping', 'I2', {
    does: 'accepts a stamp that dates a beat after its own arrival',
    overrides: { rules: { isPossible: () => true } },
    seeds: [16, 7, 10],
  }),
];
