import type { Replacement } from '../kernel/mutant.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { Size } from '../kernel/size.ts';
import { induction } from './induction.ts';
import { ledger } from './ledger.ts';
import { nerioDrift, nerioSkew } from './nerio.ts';

/** The options of a run. */
export interface Journey {
  readonly seed: number;
  /** Simulated milliseconds, over all worlds. */
  readonly ms: number;
  readonly size: Size;
  /** The name of the mutant to run, if any. */
  readonly mutant: string | undefined;
  /**
   * Runs a single world of this scenario, with exactly this seed. Default: worlds of all scenarios,
   * with seeds derived from it.
   */
  readonly scenario?: string;
}

/** A protocol that can be simulated. */
export interface Protocol {
  readonly name: string;
  readonly usualSize: Size;
  readonly mutants: readonly Replacement[];
  /** The names of its scenarios. */
  readonly scenarios: readonly string[];
  /** Yields the outcome of one world after the other. Stops after the first violation. */
  tour(journey: Journey): Iterable<Outcome>;
}

/** All protocols. The first is the default. */
export const protocols: readonly [Protocol, ...Protocol[]] = [
  ledger,
  induction,
  nerioDrift,
  nerioSkew,
];
