import { type Host, type ResolvedOptions, raised } from '@leadership/core/backend';
import type { LedgerParts } from '@leadership/core/ledger';
import { streamCredentials } from './credentials.ts';
import { leaseParts } from './lease-parts.ts';
import { openStream, openTable } from './open-place.ts';
import type { PlaceOptions } from './options.ts';
import { storeOf } from './store.ts';
import { noWakeUps, streamWakeUps } from './wake-ups.ts';

/**
 * Creates the parts of the ledger lease: a table, and wake-up notifications if there is a stream.
 */
export function exclusiveParts(place: PlaceOptions, options: ResolvedOptions, host: Host): LedgerParts {
  const { stream: name } = place;
  const { group, thresholdMs, campaign } = options;
  const { table, credentials, close: closeTable } = openTable(place);
  const store = storeOf({ table, group, thresholdMs, guarantee: 'exclusive' }, host);
  if (name === undefined) return leaseParts(store, place, options, { wakeUps: noWakeUps, credentials, close: closeTable });
  // The election works without a stream, so problems of the stream are only warnings.
  const warnings = raised(host, 'warning');
  const kept = streamCredentials(name, store, { troubles: warnings, warnings });
  const { stream, close: closeStream } = openStream({ ...place, stream: name }, table, kept);
  const wakeUps = streamWakeUps(store, stream, campaign);
  const close = (): void => {
    closeTable();
    kept.close();
    closeStream();
  };
  return leaseParts(store, place, options, { wakeUps, credentials, close });
}
