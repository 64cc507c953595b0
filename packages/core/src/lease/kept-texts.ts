// Texts that packages keep in the rows of a group, such as the latest tick of a schedule. They are read
// and replaced beside the machine, over rows of their own: no request for them delays a renewal.
import { withTimeout } from '../async/with-timeout.ts';
import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { openingMsOf } from '../rows/notifications.ts';
import type { Exchanged, RowChange, Rows } from '../rows/rows.ts';
import { keptName } from './records.ts';

/** How often a replacement is tried while others replace the text, or hold its row locked. */
const attemptsMax = 10;

/** What the texts of a group need. */
export interface KeptTextsOptions {
  readonly host: Pick<Host, 'clock'>;
  /** T. Milliseconds. */
  readonly thresholdMs: number;
  /** Opens the rows of the group. Called once, at the first use. */
  open(): Rows;
}

/** The texts that a group keeps. */
export class KeptTexts {
  readonly #options: KeptTextsOptions;
  readonly #over = new AbortController();
  /** The texts as they were read, and where the reader is. */
  readonly #texts = new Map<string, string>();
  #position: unknown;
  #rows: Rows | undefined;
  /** Whether this member might create the store when it was opened. */
  #mightCreate: boolean | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: KeptTextsOptions) {
    this.#options = options;
  }

  /**
   * As `Membership.replaceText`. Calls wait for each other. `mayCreate`: whether this member may create
   * the store now.
   */
  replace(
    name: string,
    next: (text: string | undefined) => string | undefined,
    mayCreate: boolean,
  ): Promise<string | undefined> {
    const replaced = this.#last.then(() => this.#replace(keptName(name), next, mayCreate));
    this.#last = replaced.catch(() => undefined);
    return replaced;
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#rows?.close();
  }

  async #replace(
    name: string,
    next: (text: string | undefined) => string | undefined,
    mayCreate: boolean,
  ): Promise<string | undefined> {
    for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
      await this.#exchange([], mayCreate);
      const before = this.#texts.get(name);
      const text = next(before);
      if (text === undefined) return before;
      const change = { name, expected: before ?? null, text };
      const { outcomes } = await this.#exchange([change], mayCreate);
      if (outcomes[0] === true) return text;
    }
    throw new LeadershipError(
      'unreachable',
      `${this.#rows?.name}: row ${name} changes all the time`,
    );
  }

  async #exchange(changes: readonly RowChange[], mayCreate: boolean): Promise<Exchanged> {
    const { host, thresholdMs, open } = this.#options;
    const limits = {
      clock: host.clock,
      limitMs: openingMsOf(thresholdMs),
      signal: this.#over.signal,
    };
    if (this.#over.signal.aborted) throw new LeadershipError('closed', 'the source is closed');
    this.#rows ??= open();
    const rows = this.#rows;
    if (this.#mightCreate !== mayCreate)
      await withTimeout(limits, async (until) => rows.open?.(until, mayCreate));
    this.#mightCreate = mayCreate;
    const request = { changes, since: this.#position };
    const answer = await withTimeout(limits, (until) => rows.exchange(request, until));
    this.#take(answer);
    return answer;
  }

  #take({ rows, position, isWhole }: Exchanged): void {
    if (isWhole) this.#texts.clear();
    for (const [name, text] of rows)
      if (text === null) this.#texts.delete(name);
      else if (name.startsWith(keptName(''))) this.#texts.set(name, text);
    this.#position = position;
  }
}
