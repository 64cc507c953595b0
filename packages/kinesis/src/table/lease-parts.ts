import type { ResolvedOptions } from '@leadership/core/adapter';
import { balanced, type LedgerParts, type Presence } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal';
import { type Credentials, keepCredentials } from '../client/credentials.ts';
import type { PlaceOptions } from '../options.ts';
import { tableLedger } from './ledger.ts';
import type { Notifications } from './notifications.ts';
import { tablePresence } from './presence.ts';
import type { Store } from './store.ts';

/** The inputs of the leases besides the table. */
interface LeaseNeeds {
  readonly notifications: Notifications;
  /** Called with the incarnations that are present, whenever they change. */
  readonly seen?: (present: readonly string[]) => void;
  /** The credentials provider of the table's client. */
  readonly credentials: Credentials;
  /** Closes the connections. */
  readonly close: () => void;
}

/** Creates the ledger in a table, and the placement that follows the presence of members. */
export function leaseParts(
  store: Store,
  { create, homeRegion }: Pick<PlaceOptions, 'create' | 'homeRegion'>,
  {
    partitions,
    thresholdMsMax,
    campaign,
  }: Pick<ResolvedOptions, 'partitions' | 'thresholdMsMax' | 'campaign'>,
  { notifications, seen, credentials, close: closeClients }: LeaseNeeds,
): LedgerParts {
  const { host, clock, pollMs, thresholdMs } = store;
  const { incarnation, random } = host;
  const [troubles, warnings, closed] = [
    new HealthReporter(host),
    new HealthReporter(host, 'warning'),
    new AbortController(),
  ];
  const keeping = {
    of: `table "${store.table.name}"`,
    credentials,
    clock,
    slowMs: store.limitMs,
    troubles,
    warnings,
  };
  void keepCredentials(keeping, closed.signal);
  const close = (): void => {
    closed.abort();
    troubles.mendAll();
    warnings.mendAll();
    closeClients();
  };
  const making = { create: create && campaign, begins: campaign };
  const ledger = tableLedger(store, {
    partitions,
    thresholdMsMax,
    homeRegion,
    ...making,
    notifications,
    close,
  });
  const backOff = { firstMs: pollMs, lastMs: thresholdMs, random };
  const presence = watched(tablePresence(store, notifications), seen);
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
