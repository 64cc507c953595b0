import type { Guarantees } from '@leadership/core';
import type { Cluster, Fault } from './cluster.ts';

/** One promise of the contract, as something that can be tried on any backend. */
export interface Check {
  /** Kebab-case, unique: what a failing test is called, and what the docs page links to. */
  readonly promise: string;
  /** The promise in one sentence, for the test's name and the generated docs page; with the rule it comes from. */
  readonly claim: string;
  /** The faults it injects. A cluster that lacks one skips it, and says so. */
  readonly needs: readonly Fault[];
  /** It touches what other checks of the process share (the event loop, `Date`, the open handles): nothing runs beside it. */
  readonly alone?: boolean;
  /** Which guarantees it is about; others skip it. Default: all. */
  readonly appliesTo?: (guarantees: Guarantees) => boolean;
  /** Throws a readable error when the promise is broken. Never forges what it waits for; judges order and exclusivity, not milliseconds. */
  run(cluster: Cluster): Promise<void>;
}
