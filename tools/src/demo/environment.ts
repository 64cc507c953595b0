import type { AnswerWatch } from './answer-watch.ts';
import type { StartMember } from './member-handle.ts';

/**
 * The backend that the demo runs on, and how to start members there. Disposing removes everything
 * that it created.
 */
export interface Environment extends AsyncDisposable {
  readonly backend: string;
  /** The URL that the members open. */
  readonly url: string;
  readonly start: StartMember;
  /** How the demo crashes a leader on this backend, as a past participle for the output. */
  readonly crashed: string;
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
