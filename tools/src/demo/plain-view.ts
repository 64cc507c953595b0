import type { Writable } from 'node:stream';
import type { DemoEvent, View } from './demo-event.ts';
import { eventLine } from './event-line.ts';
import { headerLines } from './header.ts';
import { type Line, render } from './line.ts';
import { summaryLines } from './summary.ts';

/** Writes one plain line per event, for pipes and files. */
export function plainView(out: Writable, startedNs: bigint): View {
  let promisedMs: number | 'unbounded' = 'unbounded';
  const write = (lines: readonly Line[]): void =>
    void out.write(lines.map((line) => `${render(line)}\n`).join(''));
  return {
    show(demoEvent: DemoEvent) {
      if (demoEvent.kind === 'setup') {
        promisedMs = demoEvent.setup.guarantees.failoverMsMax;
        write(headerLines(demoEvent.setup));
        return;
      }
      const line = eventLine(demoEvent, startedNs, promisedMs);
      if (line) write([line]);
    },
    finish: (summary) => write(summaryLines(summary)),
    [Symbol.dispose]: () => undefined,
  };
}
