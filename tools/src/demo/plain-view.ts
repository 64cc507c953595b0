import type { Writable } from 'node:stream';
import { closingWords } from './closing-words.ts';
import { type Line, render } from './line.ts';
import type { News } from './news.ts';
import { prologue } from './prologue.ts';
import { sentence } from './sentence.ts';
import type { View } from './view.ts';

/** One plain line per event, for pipes and files. */
export function plainView(out: Writable, startedNs: bigint): View {
  let promisedMs: number | 'unbounded' = 'unbounded';
  const write = (lines: readonly Line[]): void => void out.write(lines.map((line) => `${render(line)}\n`).join(''));
  return {
    show(news: News) {
      if (news.kind === 'curtain') {
        promisedMs = news.setting.guarantees.failoverMsMax;
        write(prologue(news.setting));
        return;
      }
      const line = sentence(news, startedNs, promisedMs);
      if (line) write([line]);
    },
    finish: (summary) => write(closingWords(summary)),
    [Symbol.dispose]: () => undefined,
  };
}
