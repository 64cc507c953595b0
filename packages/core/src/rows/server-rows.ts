// Rows on a server that members connect to: everything around an exchange that all such stores have in
// common. A store implements `ServerRows` with the errors of its client, and `serverRows` makes rows of it:
// - errors with the name of the store, and pauses after requests that the server refuses;
// - `open` with a limit of its own, again once the store has refused requests as misconfigured, or was missing;
// - an observer that waits for a member that creates the store;
// - warnings and troubles about settings, which are checked again about once a minute;
// - notifications on a connection that is replaced after each failure and proves that it lives, with one
//   warning, which ends with its cause;
// - no request after `close`.

import { CoolDown } from '../async/cool-down.ts';
import { raceSignal } from '../async/race-signal.ts';
import { withTimeout } from '../async/with-timeout.ts';
import { LeadershipError, type LeadershipErrorCode } from '../contract/leadership-error.ts';
import { formatNotification, isNotified, parseNotification } from './notification.ts';
import {
  type ListenOnce,
  Notifications,
  openingMsOf,
  type ServerHost,
  type ServerRowsOptions,
} from './notifications.ts';
import type { Exchange, Exchanged, NamedText, Rows, RowsTraits, TokenFloor } from './rows.ts';
import { SettingsWatch } from './settings-watch.ts';

/** The store may not be as `open` has left it. */
const opensAgain: readonly LeadershipErrorCode[] = ['misconfigured-backend', 'unknown-group'];

/** What a check of the store has found, if no guarantee is broken. */
export interface Inspection {
  /** What weakens a guarantee. It becomes a warning. */
  readonly weakness?: string | undefined;
  /**
   * Whether the rows do not exist yet. An observer then opens the store again with each reading, until a
   * member has created them.
   */
  readonly isMissing?: boolean;
}

/** An exchange, and the notification of its changes. */
export interface ServerExchange extends Exchange {
  /**
   * The text to send once to all that listen, if a change with `isAwaited` is made, and not before;
   * `undefined` if there is none to send. With a blank and a digit for each change appended to it, 1 if
   * the change was made and 0 if not, announced changes are shown to those who listen, not read.
   */
  readonly notification: string | undefined;
}

/** The rows of a group as the client of a server reaches them. Its errors are those of the client. */
export interface ServerRows {
  /** How error messages name the store. */
  readonly name: string;
  /** As in `Rows`. */
  readonly traits: RowsTraits;
  /** As in `Rows`. */
  readonly floor?: TokenFloor;
  /**
   * Connects, checks, and creates what is missing if it may. Rejects with `misconfigured-backend` if a
   * guarantee is broken.
   */
  open(signal: AbortSignal, mayCreate: boolean): Promise<Inspection>;
  /**
   * Checks again what the guarantees rest on and a person may change, such as a setting. Rejects as
   * `open`. Absent if a running store cannot change so.
   */
  inspect?(signal: AbortSignal): Promise<Inspection>;
  /**
   * As in `Rows`. It need not settle when the signal aborts. Its errors become `unknown-group` if the store is
   * missing and may soon exist: it is opened again, where `misconfigured-backend` refuses a new member.
   */
  exchange(request: ServerExchange, signal: AbortSignal): Promise<Exchanged>;
  /** Absent if members only poll. */
  listen?: ListenOnce | undefined;
  /** As in `Rows`. */
  close(): void | Promise<void>;
}

/** Returns the rows of a server. */
export function serverRows(server: ServerRows, options: ServerRowsOptions): Rows {
  const rows = new RowsOfServer(server, options);
  const { name, traits, floor } = server;
  return {
    name,
    traits,
    ...(floor && { floor }),
    open: (signal, mayCreate) => rows.open(signal, mayCreate),
    exchange: (request, signal) => rows.exchange(request, signal),
    ...(server.listen && rows.notifies && { listen: (wake, signal) => rows.listen(wake, signal) }),
    close: () => rows.close(),
  };
}

class RowsOfServer {
  /** Whether members notify one another. */
  readonly notifies: boolean;
  readonly #server: ServerRows;
  readonly #options: ServerRowsOptions;
  readonly #notifications: Notifications;
  readonly #settings: SettingsWatch;
  readonly #reading;
  readonly #changing;
  #mayCreate = false;
  /** Whether the store is opened before the next exchange: it was missing, or has refused one. */
  #mustOpen = false;
  /** Whether the store was missing when it was last opened. */
  #isMissing = false;
  #isClosed = false;

  constructor(server: ServerRows, options: ServerRowsOptions) {
    const { host, thresholdMs } = options;
    this.notifies = options.notifications ?? server.listen !== undefined;
    this.#server = server;
    this.#options = options;
    const listen = server.listen?.bind(server);
    this.#notifications = new Notifications(server.name, listen, options, () => this.#isMissing);
    this.#settings = new SettingsWatch(host, server.name, (signal) =>
      this.#limited(signal, async (until) => (await server.inspect?.(until))?.weakness),
    );
    // Apart: a user who may only read goes on to read.
    this.#reading = unlessRefused(host, thresholdMs);
    this.#changing = unlessRefused(host, thresholdMs);
  }

  async open(signal: AbortSignal, mayCreate: boolean): Promise<void> {
    this.#mayCreate = mayCreate;
    const { weakness, isMissing = false } = await this.#limited(signal, (until) =>
      this.#server.open(until, mayCreate),
    );
    this.#mustOpen = isMissing;
    this.#isMissing = isMissing;
    this.#settings.passed(weakness);
  }

  async exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    this.#check();
    signal.throwIfAborted();
    const unlessRefused = request.changes.length === 0 ? this.#reading : this.#changing;
    const answer = await unlessRefused(() => this.#exchange(request, signal));
    this.#settings.revisit();
    return answer;
  }

  /** Wakes the member as soon as it listens: what was notified before is lost. */
  listen(wake: (rows?: readonly NamedText[]) => void, signal: AbortSignal): Promise<void> {
    const { incarnation } = this.#options.host;
    const notified = (text: string): void => {
      const { from, isAwaited, shown } = parseNotification(text);
      if (from === incarnation) return;
      if (shown.length > 0) wake(shown);
      if (isAwaited) wake();
    };
    return this.#notifications.listen({ listening: wake, notified }, signal);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#notifications[Symbol.dispose]();
    this.#settings[Symbol.dispose]();
    await this.#server.close();
  }

  async #exchange(request: Exchange, signal: AbortSignal): Promise<Exchanged> {
    if (this.#mustOpen) await this.open(signal, this.#mayCreate);
    if (this.#mustOpen) return { outcomes: [], rows: [], position: undefined, isWhole: true };
    try {
      const isMade = ({ outcomes }: Exchanged): boolean => outcomes.includes(true);
      return await this.#notifications.proved(
        (withProof) => this.#send(request, withProof, signal),
        isMade,
      );
    } catch (error) {
      const why = this.#options.toError(error, this.#server.name);
      // A person may have removed what `open` creates.
      if (opensAgain.includes(why.code)) this.#mustOpen = true;
      throw why;
    }
  }

  #send(request: Exchange, withProof: boolean, signal: AbortSignal): Promise<Exchanged> {
    const { host } = this.#options;
    // A store without such a connection shows its changes in its own way, or not at all.
    const isSilent = this.#server.listen === undefined;
    const changes = request.changes.map((change) => ({
      ...change,
      ...(!isSilent && { isAwaited: this.notifies && (withProof || isNotified(change)) }),
    }));
    const notification =
      !isSilent && changes.some(({ isAwaited }) => isAwaited)
        ? formatNotification(host.incarnation, request.changes)
        : undefined;
    const answer = this.#server.exchange({ ...request, changes, notification }, signal);
    return raceSignal(answer, signal);
  }

  #check(): void {
    if (this.#isClosed) throw new LeadershipError('closed', `${this.#server.name}: it was closed`);
  }

  #limited<T>(signal: AbortSignal, call: (until: AbortSignal) => Promise<T>): Promise<T> {
    const { host, thresholdMs, toError } = this.#options;
    const limits = { clock: host.clock, limitMs: openingMsOf(thresholdMs), signal };
    return withTimeout(limits, call).catch((error: unknown) => {
      throw toError(error, this.#server.name);
    });
  }
}

/** Sends a request unless the server has just refused one of its kind. */
type UnlessRefused = <T>(send: () => Promise<T>) => Promise<T>;

/**
 * Returns a function that sends requests of one kind. After one that was refused, such as for a wrong
 * password, requests fail with that error for up to T: each may cost a connection, TLS and a hashed
 * password. A member takes part again soon after a person has mended the cause, or a replica has
 * become the primary.
 */
function unlessRefused(host: ServerHost, thresholdMs: number): UnlessRefused {
  const { clock, random } = host;
  const refused = new CoolDown(clock, { firstMs: thresholdMs / 4, lastMs: thresholdMs, random });
  return async (send) => {
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
  };
}
