import type { News, Summary } from './news.ts';

/** Shows the demo. Disposing restores the terminal. */
export interface View extends Disposable {
  show(news: News): void;
  finish(summary: Summary): void;
}
