// Rows on a server that members connect to: time limits, errors with the name of the store, and
// notifications that begin again after their connection has failed.
import { retry } from '../../async/retry.ts';
import { withTimeout } from '../../async/with-timeout.ts';
import type { Host } from '../../contract/backend.ts';
import { HealthReporter } from '../../engine/health-reporter.ts';
import { after } from '../../time/instant.ts';
import type { ErrorMapper } from './error-mapper.ts';
import type { RowChange, RowOutcome, Rows } from './rows.ts';

/** What receives the notifications of a group. */
export interface NotificationListener {
  /** Called once the server sends notifications. Those that were sent before may be lost. */
  listening(): void;
  /** Called for each notification, with the incarnation of the member that has sent it. */
  notified(sender: string): void;
}

/** The rows of a group as the client of a server reaches them. Its errors are those of the client. */
export interface ServerRows {
  /** How error messages name the store. */
  readonly name: string;
  /** Checks the server, and creates what the rows need. */
  open(signal: AbortSignal): Promise<void>;
  /** As in `Rows`. */
  list(signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** As in `Rows`. */
  replace(change: RowChange, signal: AbortSignal): Promise<RowOutcome>;
  /**
   * Listens to notifications until the signal aborts; rejects or resolves earlier if the connection
   * ends. Absent if members only poll.
   */
  listen?(listener: NotificationListener, signal: AbortSignal): Promise<void>;
  /** As in `Rows`. */
  close(): void | Promise<void>;
}

/** What the rows of every server need. */
export interface ServerRowsOptions {
  readonly host: Host;
  readonly thresholdMs: number;
  readonly toError: ErrorMapper;
}

/** Opening takes longer than a request: names are resolved, and passwords are hashed. Milliseconds. */
const openingMsMin = 5000;

/** Returns how long a member with this T waits until a connection is usable. Milliseconds. */
export function openingMsOf(thresholdMs: number): number {
  return Math.max(openingMsMin, thresholdMs);
}

/** Returns the rows of a server as the ledger uses them. */
export function serverRows(server: ServerRows, options: ServerRowsOptions): Rows {
  const { host, thresholdMs, toError } = options;
  const { name } = server;
  const warnings = new HealthReporter(host, 'warning');
  const fail = (error: unknown): never => {
    throw toError(error, name);
  };
  const limits = { clock: host.clock, limitMs: openingMsOf(thresholdMs) };
  return {
    name,
    open: (signal) => withTimeout({ ...limits, signal }, (until) => server.open(until)).catch(fail),
    list: ({ signal }) => server.list(signal).catch(fail),
    replace: (change, signal) => server.replace(change, signal).catch(fail),
    listen: (wake, signal) => listenAgain(server, { ...options, warnings }, wake, signal),
    close() {
      warnings.mendAll();
      return server.close();
    },
  };
}

/**
 * Listens until the signal aborts, again after each failure. Resolves once it listens, or once the
 * first attempt has failed: members then only poll, with a warning.
 */
function listenAgain(
  server: ServerRows,
  {
    host,
    thresholdMs,
    toError,
    warnings,
  }: ServerRowsOptions & { readonly warnings: HealthReporter },
  wake: () => void,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, incarnation } = host;
  if (server.listen === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const attempt = async (succeeded: () => void): Promise<void> => {
      const over = new AbortController();
      // A proxy may hold back the reply for ever.
      using timer = clock.wake(after(clock.now(), openingMsOf(thresholdMs)), () => over.abort());
      const listening = (): void => {
        timer[Symbol.dispose]();
        succeeded();
        warnings.mend('listen');
        resolve();
        wake();
      };
      const notified = (sender: string): void => void (sender !== incarnation && wake());
      await server.listen?.({ listening, notified }, AbortSignal.any([signal, over.signal]));
    };
    const broke = (error: unknown): boolean => {
      warnings.raise('listen', toError(error, `${server.name}: members only poll`));
      resolve();
      return true;
    };
    const backOff = { firstMs: thresholdMs / 4, lastMs: 10 * thresholdMs, random };
    void retry({ attempt, broke }, backOff, clock, signal).then(resolve);
  });
}
