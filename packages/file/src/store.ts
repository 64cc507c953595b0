import type { Clock, Host } from '@leadership/core/backend';
import { type Busy, busy } from '@leadership/core/ledger';
import { type Layout, layoutOf } from './layout.ts';
import { type Scratch, scratchAt } from './scratch.ts';
import { systemWatch, type Watch } from './watch.ts';
import { type Watches, watchesOf } from './watches.ts';

/** What ledger, wants and presence of one member share. */
export interface Store {
  readonly layout: Layout;
  readonly scratch: Scratch;
  readonly watches: Watches;
  readonly busy: Busy;
  readonly clock: Clock;
  readonly host: Pick<Host, 'member' | 'incarnation' | 'confirmed' | 'random' | 'trouble' | 'warning'>;
  /** How often is read what no watch told. Milliseconds. */
  readonly pollMs: number;
  readonly thresholdMs: number;
}

/** Where the group keeps its files, and how often they are read. */
export interface StoreOptions {
  readonly directory: string;
  readonly group: string;
  readonly pollMs: number;
  readonly thresholdMs: number;
  /** For tests: what watches. */
  readonly watch?: Watch;
}

/** The store of one member. Touches nothing yet. */
export function storeAt({ directory, group, pollMs, thresholdMs, watch = systemWatch }: StoreOptions, host: Host): Store {
  const layout = layoutOf(directory, group);
  const watches = watchesOf(watch, host, pollMs);
  return { layout, scratch: scratchAt(layout.scratch), watches, busy: busy(), clock: host.clock, host, pollMs, thresholdMs };
}
