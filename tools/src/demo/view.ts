// The interface of the three outputs of the demo: terminal, plain lines and JSON.
import type { DemoEvent, Summary } from './demo-event.ts';

/** Shows the demo. Disposing restores the terminal. */
export interface View extends Disposable {
  show(demoEvent: DemoEvent): void;
  finish(summary: Summary): void;
}
