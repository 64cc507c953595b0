// The rows of a source with `guarantee: 'exclusive'`: a table, and notifications if there is a stream.
import type { Host, ResolvedOptions, Rows } from '@leadership/core/adapter';
import { HealthReporter } from '@leadership/core/internal/engine';
import { streamCredentials } from './client/credentials.ts';
import type { PlaceOptions } from './options.ts';
import { openStream } from './stream/open-stream.ts';
import { streamNotifications } from './stream/stream-notifications.ts';
import { noNotifications } from './table/notifications.ts';
import { openTable } from './table/open-table.ts';
import { sessionRows } from './table/session-rows.ts';
import { answerMsOf, storeOf } from './table/store.ts';
import { tableCredentials } from './table/table-credentials.ts';

/** Creates the rows of one member. Sends no request yet. */
export function exclusiveRows(place: PlaceOptions, options: ResolvedOptions, host: Host): Rows {
  const { stream: name, homeRegion, create } = place;
  const { group, thresholdMs, thresholdMsMax, campaign } = options;
  const { table, credentials, close: closeTable } = openTable(place);
  const store = storeOf({ table, group, thresholdMs, homeRegion }, host);
  const renewed = tableCredentials(store, credentials);
  const close = (): void => {
    renewed.close();
    closeTable();
  };
  const settings = { thresholdMsMax, create };
  if (name === undefined)
    return sessionRows(store, { ...settings, notifications: noNotifications, close });
  // The election works without a stream, so problems of the stream are only warnings.
  const warnings = new HealthReporter(host, 'warning');
  const kept = streamCredentials(name, {
    clock: host.clock,
    slowMs: answerMsOf(thresholdMs),
    troubles: warnings,
    warnings,
  });
  const { stream, close: closeStream } = openStream({ ...place, stream: name }, table, kept);
  return sessionRows(store, {
    ...settings,
    notifications: streamNotifications(store, stream, campaign),
    close() {
      close();
      kept.close();
      closeStream();
    },
  });
}
