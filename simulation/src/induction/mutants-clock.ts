import type { InductionMutant } from './mutants.ts';

/** Mutants of I2: the publication time of a beat. */
export const clockMutants: readonly InductionMutant[] = [
  {
    name: 'own-beats-by-receipt',
    rule: 'I2',
    does: 'treats its own beat as published on arrival, so that the backlog of a starved member looks fresh',
    scenario: 'starved',
    shows: 'I2',
    departure: { ownPublishedAt: (_sent, receivedAt) => receivedAt },
  },
  {
    name: 'beats-by-receipt',
    rule: 'I2',
    does: 'treats the beats of others as published on arrival',
    scenario: 'skewed',
    shows: 'I2',
    departure: { publishedAt: (_earliest, receivedAt) => receivedAt },
  },
  {
    name: 'no-drift-between-clocks',
    rule: 'I2',
    does: 'compares the clock of the broker once, and assumes that both clocks run at the same rate',
    scenario: 'skewed',
    shows: 'I2',
    departure: { leastElapsedMs: (brokerMs) => brokerMs },
  },
  {
    name: 'clock-outlives-its-broker',
    rule: 'I2',
    does: 'keeps its bounds on the clock of one broker when another broker leads the partition',
    scenario: 'skewed',
    shows: 'I2',
    departure: { afterRestart: (clock) => clock },
  },
  {
    name: 'steps-unnoticed',
    rule: 'I2',
    does: 'keeps its bounds on a clock although one of its own beats contradicts them',
    scenario: 'stepping',
    shows: 'I2',
    departure: { agrees: () => true },
  },
  {
    name: 'stamps-from-the-future',
    rule: 'I2',
    does: 'accepts a stamp that dates a beat after its own arrival',
    scenario: 'stepping',
    shows: 'I2',
    departure: { isPossible: () => true },
  },
];
