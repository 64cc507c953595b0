import type { News, Summary } from './news.ts';

/** Shows the demo. Disposing leaves the terminal as it was. */
export interface View extends Disposable {
  show(news: News): void;
  finish(summary: Summary): void;
}
