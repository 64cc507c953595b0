import type { Host, ResolvedOptions } from '@leadership/core/backend';
import { balanced, type LedgerParts } from '@leadership/core/ledger';
import { dynamoDbOf, kinesisOf } from './client.ts';
import { tableLedger } from './ledger.ts';
import type { PlaceOptions } from './options.ts';
import { tablePresence } from './presence.ts';
import { type Store, storeOf } from './store.ts';
import { streamOf } from './stream.ts';
import { tableOf } from './table.ts';
import { noWakeUps, streamWakeUps, type WakeUps } from './wake-ups.ts';

/** The ledger lease over a table, and wake-ups over a stream where there is one. */
export function exclusiveParts(place: PlaceOptions, options: ResolvedOptions, host: Host): LedgerParts {
  const { table, region, dynamodb } = place;
  const { group, thresholdMs, campaign } = options;
  const tables = dynamoDbOf(dynamodb, region);
  const store = storeOf({ table: tableOf(tables.client, table), group, thresholdMs }, host);
  if (place.stream === undefined) return leaseParts(store, place, options, { wakeUps: noWakeUps, close: tables.close });
  const streams = kinesisOf(place.kinesis, region);
  const wakeUps = streamWakeUps(store, streamOf(streams.client, place.stream), campaign);
  const close = (): void => {
    tables.close();
    streams.close();
  };
  return leaseParts(store, place, options, { wakeUps, close });
}

/** What leases need beside a table. */
interface LeaseNeeds {
  readonly wakeUps: WakeUps;
  /** Lets go of the connections. */
  readonly close: () => void;
}

/** Leases in a table, placed by who is there. */
function leaseParts(
  store: Store,
  { create, homeRegion }: Pick<PlaceOptions, 'create' | 'homeRegion'>,
  { partitions, thresholdMsMax, campaign }: Pick<ResolvedOptions, 'partitions' | 'thresholdMsMax' | 'campaign'>,
  { wakeUps, close }: LeaseNeeds,
): LedgerParts {
  const { host, clock, pollMs, thresholdMs } = store;
  const { incarnation, random } = host;
  const making = { create: create && campaign, begins: campaign };
  const ledger = tableLedger(store, { partitions, thresholdMsMax, homeRegion, ...making, wakeUps, close });
  const backOff = { firstMs: pollMs, lastMs: thresholdMs, random };
  return { ledger, placement: balanced(tablePresence(store, wakeUps), { incarnation, partitions, clock, backOff }) };
}
