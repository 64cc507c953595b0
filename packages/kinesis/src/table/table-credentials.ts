import { HealthReporter } from '@leadership/core/internal/engine';
import { type Credentials, keepCredentials } from '../client/credentials.ts';
import type { Store } from './store.ts';

/** Renews the credentials of the table's client ahead of time, until it is closed. */
export function tableCredentials(
  { table, host, clock, limitMs }: Store,
  credentials: Credentials,
): { close(): void } {
  const [troubles, warnings] = [new HealthReporter(host), new HealthReporter(host, 'warning')];
  const closed = new AbortController();
  const of = `table "${table.name}"`;
  const renewal = { of, credentials, clock, slowMs: limitMs, troubles, warnings };
  void keepCredentials(renewal, closed.signal);
  return {
    close() {
      closed.abort();
      troubles.mendAll();
      warnings.mendAll();
    },
  };
}
