// Collects what is wrong in a backend, for `health()` and the warnings of the process.
import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { type Instant, longAgo, never } from '../time/instant.ts';

/** The current error of a topic, and when it ends by itself. */
interface Raised {
  readonly message: string;
  endsAt: Instant;
}

/**
 * Reports troubles, or warnings, to the host: at most one per topic, which lasts until it is
 * replaced, mended, or ends by itself. The same message of several topics, as when a store is
 * unreachable for all partitions, is reported once.
 */
export class HealthReporter implements Disposable {
  readonly #host: Pick<Host, 'clock' | 'confirmed' | 'trouble' | 'warning'>;
  readonly #level: 'trouble' | 'warning';
  readonly #topics = new Map<string, Raised>();
  /** By message: the report to the host, and the number of topics with that message. */
  readonly #reports = new Map<string, { readonly report: Disposable; count: number }>();
  #timer: Disposable | undefined;
  /** When the timer fires: at the first end, or earlier. */
  #timerAt: Instant = never;

  constructor(
    host: Pick<Host, 'clock' | 'confirmed' | 'trouble' | 'warning'>,
    level: 'trouble' | 'warning' = 'trouble',
  ) {
    this.#host = host;
    this.#level = level;
  }

  /**
   * Reports the error, unless the host knows its message already. Replaces the previous error of the
   * topic. Ends by itself at `endsAt`.
   */
  raise(topic: string, error: unknown, endsAt: Instant = never): void {
    const { code, message } = toLeadershipError(error);
    if (this.#topics.get(topic)?.message !== message) {
      this.mend(topic);
      this.#topics.set(topic, { message, endsAt });
      const known = this.#reports.get(message);
      if (known) known.count += 1;
      else {
        const report = this.#host[this.#level](code, message, error);
        this.#reports.set(message, { report, count: 1 });
      }
    }
    this.mendAt(topic, endsAt);
  }

  /** Returns whether this topic has an error. */
  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /**
   * Calls adapter code that must not throw. If it throws, the error is reported until the next
   * successful call.
   */
  attempt(topic: string, call: () => void): void {
    try {
      call();
      this.mend(topic);
    } catch (error) {
      this.raise(topic, error);
    }
  }

  /** Notes that the store has answered: confirms that to the host, and mends the topic. */
  confirm(topic: string): void {
    this.#host.confirmed();
    this.mend(topic);
  }

  /** Ends the report about this topic, once no other topic has the same message. */
  mend(topic: string): void {
    const raised = this.#topics.get(topic);
    if (raised === undefined) return;
    this.#topics.delete(topic);
    const known = this.#reports.get(raised.message);
    if (known === undefined) return;
    known.count -= 1;
    if (known.count > 0) return;
    this.#reports.delete(raised.message);
    known.report[Symbol.dispose]();
  }

  /** Mends the topic at `at`, unless it is raised again before. */
  mendAt(topic: string, at: Instant): void {
    const raised = this.#topics.get(topic);
    if (raised === undefined) return;
    raised.endsAt = at;
    this.#arm(at);
  }

  /** Ends all reports. */
  mendAll(): void {
    for (const topic of [...this.#topics.keys()]) this.mend(topic);
  }

  /** Cancels the timer: from now on, no report ends by itself. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = longAgo;
  }

  #arm(at: Instant): void {
    if (at >= this.#timerAt) return;
    this.#timer?.[Symbol.dispose]();
    this.#timerAt = at;
    this.#timer = this.#host.clock.wake(at, () => this.#end());
  }

  #end(): void {
    const now = this.#host.clock.now();
    this.#timerAt = never;
    for (const [topic, { endsAt }] of [...this.#topics]) {
      if (endsAt <= now) this.mend(topic);
      else this.#arm(endsAt);
    }
  }
}

/**
 * Converts an adapter's error to a `LeadershipError`. Any other error counts as `unreachable`, with
 * the name of the store if it has one.
 */
export function toLeadershipError(
  error: unknown,
  name: string = 'the store did not answer',
): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LeadershipError('unreachable', `${name}: ${message}`, {
    cause: error,
  });
}
