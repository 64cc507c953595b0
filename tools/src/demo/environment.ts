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
  /**
   * For how many T a restarted member that is ready does not vote yet, because its earlier life may
   * have voted. If another member crashed meanwhile, too few votes would be left to elect a leader
   * (decision 0156). Default: none.
   */
  readonly silentThresholds?: number;
  /** Where the members run, in words for the output. */
  readonly home: string;
  /**
   * Measures the response time of the store. Guarantees exclude store round trips, so the demo adds
   * this time to the bound. Absent without a store.
   */
  readonly answers?: AnswerWatch;
}
