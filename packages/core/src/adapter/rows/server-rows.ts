// Rows on a server that members connect to: time limits, errors with the name of the store, and
// notifications that begin again after their connection has failed.
import { CoolDown } from '../../async/cool-down.ts';
import { retry } from '../../async/retry.ts';
import { waitingFor } from '../../async/waiting.ts';
import { withTimeout } from '../../async/with-timeout.ts';
import type { Host } from '../../contract/backend.ts';
import type { LeadershipError } from '../../contract/leadership-error.ts';
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
  const [reads, writes] = [refusals(options), refusals(options)];
  const limits = { clock: host.clock, limitMs: openingMsOf(thresholdMs) };
  return {
    name,
    open: ({ signal, mayCreate }) =>
      withTimeout({ ...limits, signal }, (until) =>
        server.open({ signal: until, mayCreate }),
      ).catch(fail),
    list: ({ signal }) => unlessRefused(reads, () => server.list(signal).catch(fail)),
    replace: (change, signal) =>
      unlessRefused(writes, () =>
        server.replace({ ...change, notification: notification(change) }, signal).catch(fail),
      ),
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
 * Returns the pauses after refused requests. They last at most T, so that a member takes part again
 * soon after a person has mended the cause, or a replica has become the primary.
 */
function refusals({ host, thresholdMs }: ServerRowsOptions): CoolDown {
  const { clock, random } = host;
  return new CoolDown(clock, { firstMs: thresholdMs / 4, lastMs: thresholdMs, random });
}

/**
 * Sends a request unless the server has just refused one for a reason that only a person can mend,
 * such as a wrong password. Each refused request may cost a connection, TLS and a hashed password.
 */
async function unlessRefused<T>(refused: CoolDown, send: () => Promise<T>): Promise<T> {
  refused.check();
  try {
    const answer = await send();
    refused.succeeded();
    return answer;
  } catch (error) {
    const { code } = error as LeadershipError;
    if (code === 'unauthorized' || code === 'misconfigured-backend') refused.failed(error);
    throw error;
  }
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
      const limitMs = openingMsOf(thresholdMs);
      const until = AbortSignal.any([signal, over.signal]);
      // A proxy may hold back the reply without end.
      using timer = clock.wake(after(clock.now(), limitMs), () =>
        over.abort(new Error(`no answer within ${Math.round(limitMs)} ms${waitingFor(until)}`)),
      );
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
      // Clients report the abort and not its reason.
      await server.listen?.({ listening, notified }, until).catch((error: unknown) => {
        throw over.signal.aborted ? over.signal.reason : error;
      });
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
