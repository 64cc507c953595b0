// Describes the group of the demo's members, on any backend.
import type { AnswerWatch } from './answer-watch.ts';

/** The group of the demo's members, on one backend. Disposing removes everything that it created. */
export interface DemoGroup extends AsyncDisposable {
  readonly backend: string;
  /** The URL of the group, with a query. */
  readonly url: string;
  /** What the URL of the demo's own source, which only observes, ends with. */
  readonly observing?: string;
  /** The names in the group by the names that the demo shows, where a name is an address. */
  readonly addresses?: Readonly<Record<string, string>>;
  /** Why the demo cannot cut off single members, in words for the page. Absent if it can. */
  readonly noCut?: string;
  /** Where the members run, in words for the output. */
  readonly home: string;
  /**
   * Measures the response time of the store. Guarantees exclude store round trips, so the demo adds
   * this time to the bound. Absent without a store.
   */
  readonly answers?: AnswerWatch;
}
