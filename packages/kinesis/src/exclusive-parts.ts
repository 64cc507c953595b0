import type { Host, ResolvedOptions } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import type { LedgerParts } from '@leadership/core/internal/lease';
import { streamCredentials } from './client/credentials.ts';
import type { PlaceOptions } from './options.ts';
import { openStream } from './stream/open-stream.ts';
import { streamNotifications } from './stream/stream-notifications.ts';
import { leaseParts } from './table/lease-parts.ts';
import { noNotifications } from './table/notifications.ts';
import { openTable } from './table/open-table.ts';
import { answerMsOf, storeOf } from './table/store.ts';

/**
 * Creates the parts of the ledger lease: a table, and wake-up notifications if there is a stream.
 */
export function exclusiveParts(
  place: PlaceOptions,
  options: ResolvedOptions,
  host: Host,
): LedgerParts {
  const { stream: name } = place;
  const { group, thresholdMs, campaign } = options;
  const { table, credentials, close: closeTable } = openTable(place);
  const store = storeOf(
    { table, group, thresholdMs, guarantee: 'exclusive', homeRegion: place.homeRegion },
    host,
  );
  if (name === undefined)
    return leaseParts(store, place, options, {
      notifications: noNotifications,
      credentials,
      close: closeTable,
    });
  // The election works without a stream, so problems of the stream are only warnings.
  const warnings = new HealthReporter(host, 'warning');
  const kept = streamCredentials(name, {
    clock: host.clock,
    slowMs: answerMsOf(thresholdMs),
    troubles: warnings,
    warnings,
  });
  const { stream, close: closeStream } = openStream({ ...place, stream: name }, table, kept);
  const notifications = streamNotifications(store, stream, campaign);
  const close = (): void => {
    closeTable();
    kept.close();
    closeStream();
  };
  return leaseParts(store, place, options, { notifications, credentials, close });
}
