import { type ResolvedOptions, raised } from '@leadership/core/backend';
import { balanced, type LedgerParts, type Presence } from '@leadership/core/ledger';
import { type Credentials, keepCredentials } from './credentials.ts';
import { tableLedger } from './ledger.ts';
import type { PlaceOptions } from './options.ts';
import { tablePresence } from './presence.ts';
import type { Store } from './store.ts';
import type { WakeUps } from './wake-ups.ts';

/** What leases need beside a table. */
interface LeaseNeeds {
  readonly wakeUps: WakeUps;
  /** Told who is there, whenever that changed: incarnations. */
  readonly seen?: (present: readonly string[]) => void;
  /** Of the table's client. */
  readonly credentials: Credentials;
  /** Lets go of the connections. */
  readonly close: () => void;
}

/** Leases in a table, placed by who is there. */
export function leaseParts(
  store: Store,
  { create, homeRegion }: Pick<PlaceOptions, 'create' | 'homeRegion'>,
  { partitions, thresholdMsMax, campaign }: Pick<ResolvedOptions, 'partitions' | 'thresholdMsMax' | 'campaign'>,
  { wakeUps, seen, credentials, close: closeClients }: LeaseNeeds,
): LedgerParts {
  const { host, clock, pollMs, thresholdMs } = store;
  const { incarnation, random } = host;
  const [troubles, warnings, closed] = [raised(host, 'trouble'), raised(host, 'warning'), new AbortController()];
  const keeping = { of: `table "${store.table.name}"`, credentials, clock, slowMs: store.limitMs, troubles, warnings };
  void keepCredentials(keeping, closed.signal);
  const close = (): void => {
    closed.abort();
    troubles.mendAll();
    warnings.mendAll();
    closeClients();
  };
  const making = { create: create && campaign, begins: campaign };
  const ledger = tableLedger(store, { partitions, thresholdMsMax, homeRegion, ...making, wakeUps, close });
  const backOff = { firstMs: pollMs, lastMs: thresholdMs, random };
  const presence = watched(tablePresence(store, wakeUps), seen);
  return { ledger, placement: balanced(presence, { incarnation, partitions, clock, backOff }) };
}

function watched(presence: Presence, seen: LeaseNeeds['seen'] = () => undefined): Presence {
  return {
    announce: (signal) => presence.announce(signal),
    async *present(signal) {
      for await (const incarnations of presence.present(signal)) {
        seen(incarnations);
        yield incarnations;
      }
    },
  };
}
