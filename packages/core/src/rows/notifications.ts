// The notifications of a group, for the rows of every server: the connection that listens is replaced
// after each failure, and proves that it lives.
import { raceSignal } from '../async/race-signal.ts';
import { retry } from '../async/retry.ts';
import { noAnswerWithin } from '../async/waiting.ts';
import type { Host } from '../contract/backend.ts';
import { HealthReporter } from '../engine/health-reporter.ts';
import { after } from '../time/instant.ts';
import type { ErrorMapper } from './error-mapper.ts';
import { type ListenerProof, listenerProof } from './listener-proof.ts';

/** Receives the notifications of a group. */
export interface NotificationListener {
  /** Called once the server sends notifications. Those that were sent before may be lost. */
  listening(): void;
  /** Called for each notification, with its text. */
  notified(text: string): void;
}

/**
 * Listens to notifications on one connection until the signal aborts; rejects or resolves earlier if
 * the connection ends.
 */
export type ListenOnce = (listener: NotificationListener, signal: AbortSignal) => Promise<void>;

/** The part of the host that the rows of a server use. */
export type ServerHost = Pick<
  Host,
  'incarnation' | 'clock' | 'random' | 'confirmed' | 'trouble' | 'warning'
>;

/** The parts that the rows of every server need. */
export interface ServerRowsOptions {
  /** Receives warnings and troubles. */
  readonly host: ServerHost;
  /** T, from which limits and pauses follow. Milliseconds. */
  readonly thresholdMs: number;
  /** Whether members notify one another. Default: whether the server has `listen`. */
  readonly notifications?: boolean;
  /** Maps the errors of the client; see `errorMapper`. */
  readonly toError: ErrorMapper;
}

/** Opening takes longer than a request: names are resolved, and passwords are hashed. Milliseconds. */
const openingMsMin = 5000;

/** Returns how long a member with this T waits until a connection is usable. Milliseconds. */
export function openingMsOf(thresholdMs: number): number {
  return Math.max(openingMsMin, thresholdMs);
}

/**
 * The notifications that a member receives. A failure is one warning, which ends once notifications
 * arrive again: members only poll meanwhile, and lose no guarantee.
 */
export class Notifications implements Disposable {
  readonly #name: string;
  readonly #listenOnce: ListenOnce | undefined;
  readonly #options: ServerRowsOptions;
  readonly #warnings: HealthReporter;
  /** The proof of the connection that listens now. */
  #proof: ListenerProof | undefined;
  readonly #isMissing: () => boolean;
  /** Whether a connection failed its proof. The warning then lasts until a proof arrives. */
  #isDoubted = false;

  /**
   * `name`: how error messages name the store. `isMissing`: whether an observer still waits for a member
   * that creates it; nothing is amiss then if nobody can listen.
   */
  constructor(
    name: string,
    listenOnce: ListenOnce | undefined,
    options: ServerRowsOptions,
    isMissing: () => boolean,
  ) {
    this.#name = name;
    this.#listenOnce = listenOnce;
    this.#options = options;
    this.#isMissing = isMissing;
    this.#warnings = new HealthReporter(options.host, 'warning');
  }

  /**
   * Listens until the signal aborts. Resolves once it listens, or once the first attempt has failed.
   */
  listen(listener: NotificationListener, signal: AbortSignal): Promise<void> {
    const { host, thresholdMs, toError } = this.#options;
    const { clock, random } = host;
    if (this.#listenOnce === undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const listening = (): void => {
        resolve();
        listener.listening();
      };
      const attempt = (succeeded: () => void): Promise<void> =>
        this.#attempt(succeeded, { ...listener, listening }, signal);
      const broke = (error: unknown): boolean => {
        if (!(error instanceof Unproved || this.#isMissing()))
          this.#warnings.raise('listen', toError(error, `${this.#name}: members only poll`));
        resolve();
        return true;
      };
      const backOff = { firstMs: thresholdMs / 4, lastMs: 10 * thresholdMs, random };
      void retry({ attempt, broke }, backOff, clock, signal).then(resolve);
    });
  }

  /**
   * Makes a change, which carries a proof if the connection that listens needs one. `isDone` returns
   * whether it was sent.
   */
  proved<T>(
    change: (withProof: boolean) => Promise<T>,
    isDone: (outcome: T) => boolean,
  ): Promise<T> {
    return this.#proof?.during(change, isDone) ?? change(false);
  }

  [Symbol.dispose](): void {
    this.#warnings.mendAll();
  }

  /** Listens on one connection. Rejects when it has failed, or does not prove that it lives. */
  async #attempt(
    succeeded: () => void,
    listener: NotificationListener,
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
      listener.listening();
    };
    const notified = (text: string): void => {
      if (until.aborted) return;
      this.#proof?.arrived();
      if (this.#isDoubted) works();
      listener.notified(text);
    };
    try {
      // Not awaited longer: a client may be unable to leave a connection that no longer answers.
      const listened = this.#listenOnce?.({ listening, notified }, until);
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
