// Rows on a server that members connect to: time limits, errors with the name of the store, and
// notifications that begin again after their connection has failed.
import { CoolDown } from '../../async/cool-down.ts';
import { raceSignal } from '../../async/race-signal.ts';
import { retry } from '../../async/retry.ts';
import { noAnswerWithin } from '../../async/waiting.ts';
import { withTimeout } from '../../async/with-timeout.ts';
import type { LeadershipError } from '../../contract/leadership-error.ts';
import { HealthReporter } from '../../engine/health-reporter.ts';
import { after } from '../../time/instant.ts';
import type { ErrorMapper } from './error-mapper.ts';
import { type ListenerProof, listenerProof } from './listener-proof.ts';
import { formatNotification, parseNotification, proofNotification } from './notification.ts';
import type { DeliveredRow, RowChange, RowOutcome, Rows, RowsOpening } from './rows.ts';
import { SettingsWatch } from './settings-watch.ts';
import type { TableHost } from './table-store.ts';

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

/** The parts that the rows of every server need. */
export interface ServerRowsOptions {
  readonly host: TableHost;
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
  const notificationOf = (change: RowChange, withProof: boolean): string | undefined => {
    if (!notifications) return undefined;
    if (change.isAwaited) return formatNotification(host.incarnation, change);
    return withProof ? proofNotification : undefined;
  };
  const listener = new Listener(server, options);
  const fail = (error: unknown): never => {
    throw toError(error, name);
  };
  const [reads, writes] = [refusals(options), refusals(options)];
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
      const rows = await unlessRefused(reads, () => server.list(signal).catch(fail));
      settings.revisit();
      return rows;
    },
    replace: (change, signal) =>
      unlessRefused(writes, () =>
        listener
          .proved((withProof) => {
            const notification = notificationOf(change, withProof);
            return server.replace({ ...change, notification }, signal);
          })
          .catch(fail),
      ),
    listen: async (wake, signal) => {
      if (notifications) await listener.listen(wake, signal);
    },
    close() {
      listener[Symbol.dispose]();
      settings[Symbol.dispose]();
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

/** Listens to the notifications of a group, on a new connection after each failure. */
class Listener implements Disposable {
  readonly #server: ServerRows;
  readonly #options: ServerRowsOptions;
  readonly #warnings: HealthReporter;
  /** The proof of the connection that listens now. */
  #proof: ListenerProof | undefined;
  /** Whether a connection failed its proof. The warning then lasts until a proof arrives. */
  #isDoubted = false;

  constructor(server: ServerRows, options: ServerRowsOptions) {
    this.#server = server;
    this.#options = options;
    this.#warnings = new HealthReporter(options.host, 'warning');
  }

  /**
   * Listens until the signal aborts. Resolves once it listens, or once the first attempt has failed:
   * members then only poll, with a warning.
   */
  listen(wake: (row?: DeliveredRow) => void, signal: AbortSignal): Promise<void> {
    const { host, thresholdMs, toError } = this.#options;
    const { clock, random } = host;
    if (this.#server.listen === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const attempt = (succeeded: () => void): Promise<void> =>
        this.#attempt(succeeded, wake, resolve, signal);
      const broke = (error: unknown): boolean => {
        if (!(error instanceof Unproved))
          this.#warnings.raise('listen', toError(error, `${this.#server.name}: members only poll`));
        resolve();
        return true;
      };
      const backOff = { firstMs: thresholdMs / 4, lastMs: 10 * thresholdMs, random };
      void retry({ attempt, broke }, backOff, clock, signal).then(resolve);
    });
  }

  /** Makes a change, which carries a proof for the connection that listens if it needs one. */
  proved(change: (withProof: boolean) => Promise<RowOutcome>): Promise<RowOutcome> {
    return this.#proof?.during(change, ({ isDone }) => isDone) ?? change(false);
  }

  [Symbol.dispose](): void {
    this.#warnings.mendAll();
  }

  /** Listens on one connection. Rejects when it has failed, or does not prove that it lives. */
  async #attempt(
    succeeded: () => void,
    wake: (row?: DeliveredRow) => void,
    listens: () => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { host, thresholdMs } = this.#options;
    const limitMs = openingMsOf(thresholdMs);
    const over = new AbortController();
    const until = AbortSignal.any([signal, over.signal]);
    // A proxy may hold back the reply without end.
    using timer = host.clock.wake(after(host.clock.now(), limitMs), () =>
      over.abort(new Error(noAnswerWithin(limitMs, until))),
    );
    const works = (): void => {
      this.#isDoubted = false;
      succeeded();
      this.#warnings.mend('listen');
    };
    const listening = (): void => {
      if (until.aborted) return;
      timer[Symbol.dispose]();
      this.#proof = this.#newProof(over);
      if (!this.#isDoubted) works();
      listens();
      wake();
    };
    const notified = (text: string): void => {
      if (until.aborted) return;
      this.#proof?.arrived();
      if (this.#isDoubted) works();
      if (text === proofNotification) return;
      const { sender, row } = parseNotification(text);
      if (sender !== host.incarnation) wake(row);
    };
    try {
      // Not awaited longer: a client may be unable to leave a connection that no longer answers.
      const listened = this.#server.listen?.({ listening, notified }, until);
      await raceSignal(listened ?? Promise.resolve(), until).finally(() => {
        // The client reports in its own way that its connection was given up.
        over.signal.throwIfAborted();
      });
    } finally {
      this.#proof?.[Symbol.dispose]();
      this.#proof = undefined;
    }
  }

  #newProof(over: AbortController): ListenerProof {
    const { host, thresholdMs } = this.#options;
    return listenerProof(host.clock, thresholdMs, (error) => {
      this.#isDoubted = error !== undefined;
      over.abort(error ?? new Unproved());
    });
  }
}

/** The reason to replace a connection that no change of this member could prove. */
class Unproved extends Error {}
