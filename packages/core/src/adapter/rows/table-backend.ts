// Makes a backend of a store of rows.
import type { Backend, Host } from '../../contract/backend.ts';
import type { ResolvedOptions } from '../../contract/resolved-options.ts';
import { type LedgerTraits, ledgerBackend } from '../../ledger/backend.ts';
import type { Rows } from './rows.ts';
import { tableLedger } from './table-ledger.ts';
import type { TableLedgerOptions } from './table-options.ts';
import { pollMsOf, readingMsMax } from './table-store.ts';

/** The settings of a store of rows beside the options of the member. */
export interface TableTraits
  extends Pick<LedgerTraits, 'assumes'>,
    Pick<TableLedgerOptions, 'pollMs' | 'limitMs' | 'agreement'> {}

/**
 * Creates the exclusive backend over a store of rows. `open` is called once, when the source
 * starts, and returns the rows of the group; it must not throw.
 */
export function tableBackend(
  options: ResolvedOptions,
  open: (host: Host) => Rows,
  traits: TableTraits = {},
): Backend {
  const { assumes, ...own } = traits;
  const deliveryDelayMs = readingMsMax(traits.pollMs ?? pollMsOf(options.thresholdMs));
  const leases = { deliveryDelayMs, ...(assumes && { assumes }) };
  return ledgerBackend(
    options,
    (host) => tableLedger(open(host), { ...options, ...own }, host),
    leases,
  );
}
