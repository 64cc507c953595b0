import type { Host, ResolvedOptions } from '@leadership/core/backend';
import type { LedgerParts } from '@leadership/core/ledger';
import { dynamoDbOf, kinesisOf } from './client.ts';
import { leaseParts } from './lease-parts.ts';
import type { PlaceOptions } from './options.ts';
import { storeOf } from './store.ts';
import { streamOf } from './stream.ts';
import { tableOf } from './table.ts';
import { noWakeUps, streamWakeUps } from './wake-ups.ts';

/** The ledger lease over a table, and wake-ups over a stream where there is one. */
export function exclusiveParts(place: PlaceOptions, options: ResolvedOptions, host: Host): LedgerParts {
  const { table, region, dynamodb } = place;
  const { group, thresholdMs, campaign } = options;
  const tables = dynamoDbOf(dynamodb, region);
  const store = storeOf({ table: tableOf(tables.client, table), group, thresholdMs, guarantee: 'exclusive' }, host);
  if (place.stream === undefined) return leaseParts(store, place, options, { wakeUps: noWakeUps, close: tables.close });
  const streams = kinesisOf(place.kinesis, region);
  const wakeUps = streamWakeUps(store, streamOf(streams.client, place.stream), campaign);
  const close = (): void => {
    tables.close();
    streams.close();
  };
  return leaseParts(store, place, options, { wakeUps, close });
}
