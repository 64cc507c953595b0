// The face of an adapter: a factory that checks options, and a backend over the ledger.
import type { LeadershipSource, SourceOptions } from '@leadership/core';
import { latest, openSource, resolveOptions } from '@leadership/core/backend';
import { ledgerBackend, type Placement } from '@leadership/core/ledger';
import { type Table, tableLedger } from './table-ledger.ts';

/** What `tableLeadership` takes. */
export interface TableOptions extends SourceOptions {
  readonly table: Table;
}

/** One member of a group that is kept in a table. */
export function tableLeadership({ table, ...common }: TableOptions): LeadershipSource {
  const options = resolveOptions(common);
  const pollMs = options.thresholdMs / 8;
  const backend = ledgerBackend(
    options,
    (host) => ({
      ledger: tableLedger(table, options.group, pollMs, host.clock),
      placement: everyoneForThemselves(host.incarnation, options.partitions),
    }),
    { newsDelayMs: pollMs },
  );
  return openSource(backend, options);
}

/** The simplest placement: every member would lead everything, and the table decides. With a `Presence`, use `balanced` instead. */
function everyoneForThemselves(incarnation: string, partitions: number): Placement {
  const ranks = latest<ReadonlyMap<number, readonly string[]>>();
  return {
    ranks: (signal) => ranks.follow(signal),
    holders: () => undefined,
    standing(on) {
      ranks.set(new Map(Array.from({ length: partitions }, (_, partition) => [partition, on ? [incarnation] : []])));
    },
  };
}
