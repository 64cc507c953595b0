import type { Writable } from 'node:stream';
import { headerLines } from './header.ts';
import { type Line, render } from './line.ts';
import type { News } from './news.ts';
import { sentence } from './sentence.ts';
import { summaryLines } from './summary.ts';
import type { View } from './view.ts';

/** Writes one plain line per event, for pipes and files. */
export function plainView(out: Writable, startedNs: bigint): View {
  let promisedMs: number | 'unbounded' = 'unbounded';
  const write = (lines: readonly Line[]): void =>
    void out.write(lines.map((line) => `${render(line)}\n`).join(''));
  return {
    show(news: News) {
      if (news.kind === 'setup') {
        promisedMs = news.setup.guarantees.failoverMsMax;
        write(headerLines(news.setup));
        return;
      }
      const line = sentence(news, startedNs, promisedMs);
      if (line) write([line]);
    },
    finish: (summary) => write(summaryLines(summary)),
    [Symbol.dispose]: () => undefined,
  };
}
