// Rows on a server that members connect to, for the ledger: time limits, errors with the name of the
// store, and notifications.
import { withTimeout } from '../../async/with-timeout.ts';
import {
  type NotificationListener,
  Notifications,
  openingMsOf,
  type ServerRowsOptions,
} from '../../rows/notifications.ts';
import { unlessRefused } from '../../rows/refusals.ts';
import { SettingsWatch } from '../../rows/settings-watch.ts';
import { formatNotification, parseNotification, proofNotification } from './notification.ts';
import type { RowChange, RowOutcome, Rows, RowsOpening } from './rows.ts';

/** A change, and the notification for the members that wait for it. */
export interface ServerChange extends RowChange {
  /** The text of the notification; `undefined` if there is none to send. */
  readonly notification: string | undefined;
}

/** The rows of a group as the client of a server reaches them. Its errors are those of the client. */
export interface ServerRows {
  /** How error messages name the store. */
  readonly name: string;
  /** As in `Rows`. Resolves like `inspect`. */
  open(opening: RowsOpening): Promise<string | undefined>;
  /**
   * Checks again what the guarantees rest on and a person may change, such as a setting. Resolves
   * with what weakens a guarantee, or `undefined`. Rejects with `misconfigured-backend` if a
   * guarantee is broken. Absent if a running store cannot change so.
   */
  inspect?(signal: AbortSignal): Promise<string | undefined>;
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

/** Returns the rows of a server as the ledger uses them. */
export function serverRows(server: ServerRows, options: ServerRowsOptions): Rows {
  const { host, thresholdMs, notifications, toError } = options;
  const { name } = server;
  const notificationOf = (change: RowChange, withProof: boolean): string | undefined => {
    if (!notifications) return undefined;
    if (change.isAwaited) return formatNotification(host.incarnation, change);
    return withProof ? proofNotification : undefined;
  };
  const listener = new Notifications(name, server.listen?.bind(server), options);
  const fail = (error: unknown): never => {
    throw toError(error, name);
  };
  const reading = unlessRefused(host, thresholdMs);
  const writing = unlessRefused(host, thresholdMs);
  const limits = { clock: host.clock, limitMs: openingMsOf(thresholdMs) };
  const limited = <T>(signal: AbortSignal, call: (until: AbortSignal) => Promise<T>): Promise<T> =>
    withTimeout({ ...limits, signal }, call).catch(fail);
  const settings = new SettingsWatch(host, name, (signal) =>
    limited(signal, async (until) => server.inspect?.(until)),
  );
  return {
    name,
    async open({ signal, mayCreate }) {
      settings.passed(await limited(signal, (until) => server.open({ signal: until, mayCreate })));
    },
    async list({ signal }) {
      const rows = await reading(() => server.list(signal).catch(fail));
      settings.revisit();
      return rows;
    },
    replace: (change, signal) =>
      writing(() => {
        const replace = (withProof: boolean): Promise<RowOutcome> =>
          server.replace({ ...change, notification: notificationOf(change, withProof) }, signal);
        return listener.proved(replace, ({ isDone }) => isDone).catch(fail);
      }),
    listen(wake, signal) {
      const notified = (text: string): void => {
        if (text === proofNotification) return;
        const { sender, row } = parseNotification(text);
        if (sender !== host.incarnation) wake(row);
      };
      return listener.listen({ listening: wake, notified }, signal);
    },
    close() {
      listener[Symbol.dispose]();
      settings[Symbol.dispose]();
      return server.close();
    },
  };
}
