// Checks what the guarantees of a store rest on, such as a setting of the server or a key of a table.
// A person may change it while members run.
import { HealthReporter, toLeadershipError } from '../engine/health-reporter.ts';
import { after, type Instant, never } from '../time/instant.ts';
import { misconfigured } from './error-mapper.ts';
import type { ServerHost } from './notifications.ts';

/** The interval of the checks of a store in use: rare enough to cost nothing. Milliseconds. */
const everyMs = 60_000;
const topic = 'settings';

/** Reports what the checks of a store find: the one before its first use, and later ones. */
export class SettingsWatch implements Disposable {
  readonly #host: ServerHost;
  readonly #name: string;
  readonly #check: (signal: AbortSignal) => Promise<string | undefined>;
  readonly #troubles: HealthReporter;
  readonly #warnings: HealthReporter;
  readonly #over = new AbortController();
  #dueAt: Instant = never;

  /**
   * `check` resolves with what weakens a guarantee, or `undefined`, and rejects with
   * `misconfigured-backend` if a guarantee is broken. It limits its own time.
   */
  constructor(
    host: ServerHost,
    name: string,
    check: (signal: AbortSignal) => Promise<string | undefined>,
  ) {
    this.#host = host;
    this.#name = name;
    this.#check = check;
    this.#troubles = new HealthReporter(host);
    this.#warnings = new HealthReporter(host, 'warning');
  }

  /** Reports the result of a check that found no broken guarantee. */
  passed(weakness: string | undefined): void {
    if (this.#over.signal.aborted) return;
    this.#troubles.mendAll();
    if (weakness === undefined) this.#warnings.mendAll();
    else this.#warnings.raise(topic, misconfigured(`${this.#name}: ${weakness}`));
    this.#postpone();
  }

  /**
   * Checks again in the background if the last check was long ago. A broken guarantee is a trouble
   * and ends no term, because that would repair nothing. A check that fails for another reason is
   * not reported: the reads of the store report it.
   */
  revisit(): void {
    const { clock } = this.#host;
    if (this.#over.signal.aborted || clock.now() < this.#dueAt) return;
    this.#postpone();
    this.#check(this.#over.signal).then(
      (weakness) => this.passed(weakness),
      (error: unknown) => {
        const { code } = toLeadershipError(error);
        const isBroken = code === 'misconfigured-backend' && !this.#over.signal.aborted;
        if (isBroken) this.#troubles.raise(topic, error);
      },
    );
  }

  /** Ends a check in progress, and all reports. */
  [Symbol.dispose](): void {
    this.#over.abort();
    this.#troubles.mendAll();
    this.#warnings.mendAll();
  }

  #postpone(): void {
    const { clock, random } = this.#host;
    // The random part spreads the checks of the members.
    this.#dueAt = after(clock.now(), everyMs * (0.5 + random() / 2));
  }
}
