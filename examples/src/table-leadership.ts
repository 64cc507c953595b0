// The public interface of an adapter: a factory that validates the options and creates a backend over the ledger.
import type { LeadershipSource, SourceOptions } from '@leadership/core';
import { balanced, ledgerBackend, openSource, resolveOptions } from '@leadership/core/adapter';
import { pollMsOf, type Table, tableLedger } from './table-ledger.ts';
import { tablePresence } from './table-presence.ts';

/** The options of `tableLeadership`. */
export interface TableOptions extends SourceOptions {
  readonly table: Table;
}

/** Joins a group in a table. */
export function tableLeadership({ table, ...common }: TableOptions): LeadershipSource {
  const options = resolveOptions(common);
  const { group, partitions, thresholdMs } = options;
  const pollMs = pollMsOf(thresholdMs);
  const backend = ledgerBackend(
    options,
    ({ incarnation, clock, random }) => {
      const presence = tablePresence(table, group, incarnation, { clock, periodMs: thresholdMs, pollMs });
      const backOff = { firstMs: pollMs, lastMs: thresholdMs, random };
      const placement = balanced(presence, { incarnation, partitions, clock, backOff });
      return { ledger: tableLedger(table, group, thresholdMs, clock), placement };
    },
    { newsDelayMs: pollMs },
  );
  return openSource(backend, options);
}
