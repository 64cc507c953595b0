// The form of a conformance check, and of its result.
import type { Guarantees } from '@leadership/core';
import type { Cluster, Fault } from './cluster.ts';

/** One promise of the contract, as a check that runs on any backend. */
export interface Check {
  /** The unique kebab-case id. Test names contain it and the docs page links to it. */
  readonly id: string;
  /**
   * The promise in one sentence, with its rule number. Test names and the generated docs page
   * contain it.
   */
  readonly title: string;
  /**
   * The faults that the check injects. A cluster that lacks one of them skips the check and reports
   * the reason.
   */
  readonly needs: readonly Fault[];
  /**
   * Whether the check affects shared state of the process (event loop, `Date`, open handles) and
   * must run alone.
   */
  readonly alone?: boolean;
  /**
   * Returns whether the check applies to sources with these guarantees; otherwise it is skipped.
   * Default: always.
   */
  readonly appliesTo?: (guarantees: Guarantees) => boolean;
  /**
   * Runs the check. Rejects with a readable error if the promise is broken. Judges order and
   * exclusivity, not milliseconds.
   */
  run(cluster: Cluster): Promise<void>;
}
