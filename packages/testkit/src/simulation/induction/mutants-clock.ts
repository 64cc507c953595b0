import type { InductionMutant } from './mutants.ts';

/** Mutants of I2: when a beat was published. */
export const clockMutants: readonly InductionMutant[] = [
  {
    name: 'own-beats-by-receipt',
    rule: 'I2',
    does: "takes its own beat for as young as its receipt, so that a starved member's backlog looks fresh",
    scenario: 'starved',
    shows: 'I2',
    departure: { ownPublishedAt: (_sent, receivedAt) => receivedAt },
  },
  {
    name: 'beats-by-receipt',
    rule: 'I2',
    does: "takes others' beats for as young as their receipt",
    scenario: 'skewed',
    shows: 'I2',
    departure: { publishedAt: (_earliest, receivedAt) => receivedAt },
  },
  {
    name: 'no-drift-between-clocks',
    rule: 'I2',
    does: "compares the broker's clock once, and takes both to run at the same rate",
    scenario: 'skewed',
    shows: 'I2',
    departure: { leastElapsedMs: (brokerMs) => brokerMs },
  },
  {
    name: 'clock-outlives-its-broker',
    rule: 'I2',
    does: 'goes on with what it knew of one broker clock when another broker leads the partition',
    scenario: 'skewed',
    shows: 'I2',
    departure: { afterRestart: (clock) => clock },
  },
  {
    name: 'steps-unnoticed',
    rule: 'I2',
    does: 'believes what it knew of a clock although a beat of its own contradicts it',
    scenario: 'stepping',
    shows: 'I2',
    departure: { agrees: () => true },
  },
  {
    name: 'stamps-from-the-future',
    rule: 'I2',
    does: 'believes a stamp that puts a beat after its own receipt',
    scenario: 'stepping',
    shows: 'I2',
    departure: { isPossible: () => true },
  },
];
