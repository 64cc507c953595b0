// The directories of a group and the watches on them, which ledger, lease requests and presence of
// one member share.
import type { Clock, Host } from '@leadership/core/adapter';
import { type InFlight, inFlight } from '@leadership/core/internal/engine';
import { type Scratch, scratchAt } from './disk/scratch.ts';
import { systemWatch, type Watch } from './disk/watch.ts';
import { type Watches, watchesOf } from './disk/watches.ts';
import { type Layout, layoutOf } from './register/layout.ts';

/** The state that ledger, lease requests and presence of one member share. */
export interface Store {
  readonly layout: Layout;
  readonly scratch: Scratch;
  readonly watches: Watches;
  readonly busy: InFlight;
  readonly clock: Clock;
  readonly host: Pick<
    Host,
    'member' | 'incarnation' | 'clock' | 'confirmed' | 'random' | 'trouble' | 'warning'
  >;
  /** The interval at which changes are polled that no watch reported. Milliseconds. */
  readonly pollMs: number;
  readonly thresholdMs: number;
  /** Whether this member is a candidate now. Any other member creates nothing. */
  isCandidate: boolean;
}

/** Where the group keeps its files, and the intervals at which they are read. */
export interface StoreOptions {
  readonly directory: string;
  readonly group: string;
  readonly pollMs: number;
  readonly thresholdMs: number;
  /** Whether the member starts as a candidate. Default `true`. */
  readonly campaign?: boolean;
  /** Replaces the watch of the system. For tests. */
  readonly watch?: Watch;
}

/** Creates the store of one member. Accesses no file yet. */
export function storeAt(
  { directory, group, pollMs, thresholdMs, campaign = true, watch = systemWatch }: StoreOptions,
  host: Host,
): Store {
  const layout = layoutOf(directory, group);
  const watches = watchesOf(watch, host, pollMs);
  return {
    layout,
    scratch: scratchAt(layout.scratch),
    watches,
    busy: inFlight(),
    clock: host.clock,
    host,
    pollMs,
    thresholdMs,
    isCandidate: campaign,
  };
}
