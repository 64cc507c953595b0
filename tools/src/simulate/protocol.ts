import type { Outcome, Size } from '@leadership/testkit/simulation';
import { induction } from './induction.ts';
import { ledger } from './ledger.ts';
import { nerioDrift, nerioSkew } from './nerio.ts';

/** A rule replaced, as the command names it. */
export interface Replacement {
  readonly name: string;
  readonly rule: string;
  readonly does: string;
}

/** What a run is to be like. */
export interface Journey {
  readonly seed: number;
  /** Simulated milliseconds, over all worlds. */
  readonly ms: number;
  readonly size: Size;
  /** The name of the mutant to be let loose. */
  readonly mutant: string | undefined;
  /** Runs one world of this scenario alone, from the very seed. Default: worlds of every scenario, from seeds that follow from it. */
  readonly scenario?: string;
}

/** A protocol that can be simulated. */
export interface Protocol {
  readonly name: string;
  readonly usualSize: Size;
  readonly mutants: readonly Replacement[];
  /** The names of its scenarios. */
  readonly scenarios: readonly string[];
  /** The outcomes of one world after the other. What follows a violation is not lived any more. */
  tour(journey: Journey): Iterable<Outcome>;
}

/** All of them, the default first. */
export const protocols: readonly [Protocol, ...Protocol[]] = [ledger, induction, nerioDrift, nerioSkew];
