// Rows on a server that members connect to: time limits, errors with the name of the store, and
// notifications that begin again after their connection has failed.
import { retry } from '../../async/retry.ts';
import { withTimeout } from '../../async/with-timeout.ts';
import type { Host } from '../../contract/backend.ts';
import { HealthReporter } from '../../engine/health-reporter.ts';
import { after } from '../../time/instant.ts';
import type { ErrorMapper } from './error-mapper.ts';
import { formatNotification, parseNotification } from './notification.ts';
import type { DeliveredRow, RowChange, RowOutcome, Rows, RowsOpening } from './rows.ts';

/** Receives the notifications of a group. */
export interface NotificationListener {
  /** Called once the server sends notifications. Those that were sent before may be lost. */
  listening(): void;
  /** Called for each notification, with its text. */
  notified(text: string): void;
}

/** A change, and the notification for the members that wait for it. */
export interface ServerChange extends RowChange {
  /** The text of the notification; `undefined` if there is none to send. */
  readonly notification: string | undefined;
}

/** The rows of a group as the client of a server reaches them. Its errors are those of the client. */
export interface ServerRows {
  /** How error messages name the store. */
  readonly name: string;
  /** As in `Rows`. */
  open(opening: RowsOpening): Promise<void>;
  /** As in `Rows`. */
  list(signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** As in `Rows`. The notification is sent if the change is made, and not before. */
  replace(change: ServerChange, signal: AbortSignal): Promise<RowOutcome>;
  /**
   * Listens to notifications until the signal aborts; rejects or resolves earlier if the connection
   * ends. Absent if members only poll.
   */
  listen?(listener: NotificationListener, signal: AbortSignal): Promise<void>;
  /** As in `Rows`. */
  close(): void | Promise<void>;
}

/** The parts that the rows of every server need. */
export interface ServerRowsOptions {
  readonly host: Host;
  readonly thresholdMs: number;
  /** Whether members notify one another. */
  readonly notifications: boolean;
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
  const { host, thresholdMs, notifications, toError } = options;
  const { name } = server;
  const notification = (change: RowChange): string | undefined =>
    notifications && change.isAwaited ? formatNotification(host.incarnation, change) : undefined;
  const warnings = new HealthReporter(host, 'warning');
  const fail = (error: unknown): never => {
    throw toError(error, name);
  };
  const limits = { clock: host.clock, limitMs: openingMsOf(thresholdMs) };
  return {
    name,
    open: ({ signal, mayCreate }) =>
      withTimeout({ ...limits, signal }, (until) =>
        server.open({ signal: until, mayCreate }),
      ).catch(fail),
    list: ({ signal }) => server.list(signal).catch(fail),
    replace: (change, signal) =>
      server.replace({ ...change, notification: notification(change) }, signal).catch(fail),
    listen: async (wake, signal) => {
      if (notifications) await listenAgain(server, { ...options, warnings }, wake, signal);
    },
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
  wake: (row?: DeliveredRow) => void,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, incarnation } = host;
  if (server.listen === undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const attempt = async (succeeded: () => void): Promise<void> => {
      const over = new AbortController();
      // A proxy may hold back the reply without end.
      using timer = clock.wake(after(clock.now(), openingMsOf(thresholdMs)), () => over.abort());
      const listening = (): void => {
        timer[Symbol.dispose]();
        succeeded();
        warnings.mend('listen');
        resolve();
        wake();
      };
      const notified = (text: string): void => {
        const { sender, row } = parseNotification(text);
        if (sender !== incarnation) wake(row);
      };
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
