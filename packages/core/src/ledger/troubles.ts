import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';

/**
 * What is wrong right now, one trouble per source of it: raising again replaces, mending takes back. What is the same for many
 * sources, a store that is away for all partitions, is told once.
 */
export class Troubles {
  readonly #host: Host;
  readonly #messages = new Map<string, string>();
  /** By message: how many sources say so. */
  readonly #told = new Map<string, { readonly trouble: Disposable; count: number }>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** Tells the host, unless another source has told the same; whatever else this source raised is taken back. */
  raise(source: string, error: unknown): void {
    const { code, message } = toLeadershipError(error);
    if (this.#messages.get(source) === message) return;
    this.mend(source);
    this.#messages.set(source, message);
    const told = this.#told.get(message);
    if (told) told.count += 1;
    else this.#told.set(message, { trouble: this.#host.trouble(code, message, error), count: 1 });
  }

  /** Whether a trouble from this source stands. */
  has(source: string): boolean {
    return this.#messages.has(source);
  }

  /** Calls code of an adapter that may throw where it should not: that is trouble until the next such call succeeds, and no more. */
  attempt(source: string, call: () => void): void {
    try {
      call();
      this.mend(source);
    } catch (error) {
      this.raise(source, error);
    }
  }

  /** The store answered this source. */
  confirm(source: string): void {
    this.#host.confirmed();
    this.mend(source);
  }

  /** Takes back what this source raised: the host hears of it when no other source has the same to say. */
  mend(source: string): void {
    const message = this.#messages.get(source);
    if (message === undefined) return;
    this.#messages.delete(source);
    const told = this.#told.get(message);
    if (told === undefined) return;
    told.count -= 1;
    if (told.count > 0) return;
    this.#told.delete(message);
    told.trouble[Symbol.dispose]();
  }
}

/** Errors of adapters are `LeadershipError`s already; anything else is a store that did not answer as it should. */
export function toLeadershipError(error: unknown): LeadershipError {
  if (error instanceof LeadershipError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new LeadershipError('unreachable', `the store did not answer: ${message}`, { cause: error });
}

/** The source of trouble with reading one register. */
export function reading(partition: number): string {
  return `read ${partition}`;
}

/** The source of trouble with writes to one register. */
export function writing(partition: number): string {
  return `write ${partition}`;
}
