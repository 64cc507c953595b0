import type { DemoEvent, Summary } from './demo-event.ts';

/** Shows the demo. Disposing restores the terminal. */
export interface View extends Disposable {
  show(demoEvent: DemoEvent): void;
  finish(summary: Summary): void;
}
