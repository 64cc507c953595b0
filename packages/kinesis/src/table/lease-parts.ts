// Puts the ledger on a DynamoDB table together, for both guarantees.
import type { ResolvedOptions } from '@leadership/core/adapter';
import {
  balanced,
  type LedgerParts,
  type Presence,
  tableLedger,
} from '@leadership/core/internal/lease';
import type { Credentials } from '../client/credentials.ts';
import type { PlaceOptions } from '../options.ts';
import { agreementOf } from './agreement.ts';
import { dynamoRows } from './dynamo-rows.ts';
import type { Notifications } from './notifications.ts';
import type { Store } from './store.ts';
import { tableCredentials } from './table-credentials.ts';

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
  { create }: Pick<PlaceOptions, 'create'>,
  options: Pick<ResolvedOptions, 'partitions' | 'thresholdMsMax' | 'campaign'>,
  { notifications, seen = () => undefined, credentials, close: closeClients }: LeaseNeeds,
): LedgerParts {
  const { host, clock, group, pollMs, limitMs, thresholdMs } = store;
  const kept = tableCredentials(store, credentials);
  const { partitions, thresholdMsMax, campaign } = options;
  const { incarnation, random } = host;
  const close = (): void => {
    kept.close();
    closeClients();
  };
  const rows = dynamoRows(store, { partitions, create, notifications, close });
  const own = {
    group,
    partitions,
    thresholdMs,
    thresholdMsMax,
    campaign,
    pollMs,
    limitMs,
    agreement: agreementOf(store),
  };
  const { ledger, presence } = tableLedger(rows, own, host);
  const backOff = { firstMs: pollMs, lastMs: thresholdMs, random };
  const present = watched(presence, (incarnations) => {
    store.seen(incarnations);
    seen(incarnations);
  });
  return { ledger, placement: balanced(present, { incarnation, partitions, clock, backOff }) };
}

function watched(presence: Presence, seen: (incarnations: readonly string[]) => void): Presence {
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
