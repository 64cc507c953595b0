// History scrolls by as lines; below it stands a block that is drawn over: one line per member, and what is going on.
import type { WriteStream } from 'node:tty';
import { closingWords } from './closing-words.ts';
import { type Line, render } from './line.ts';
import { type MemberRow, memberLine } from './member-line.ts';
import type { News, Setting, Summary } from './news.ts';
import { prologue } from './prologue.ts';
import { sentence } from './sentence.ts';
import type { View } from './view.ts';

/** How often the block is drawn. Milliseconds: a lease of a second is seen to shrink, and nothing flickers. */
const frameMs = 100;
/** Some terminals say that they are 0 columns wide. */
const widthUnknown = 80;
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearBelow = '\u001b[J';

/** The terminal view. */
export class LiveView implements View {
  readonly #out: WriteStream;
  readonly #startedNs: bigint;
  readonly #rows = new Map<string, MemberRow>();
  readonly #timer: NodeJS.Timeout;
  #promisedMs: number | 'unbounded' = 'unbounded';
  #drawn = 0;

  constructor(out: WriteStream, startedNs: bigint) {
    this.#out = out;
    this.#startedNs = startedNs;
    out.write(hideCursor);
    this.#timer = setInterval(() => this.#draw([]), frameMs);
  }

  show(news: News): void {
    this.#note(news);
    if (news.kind === 'curtain') this.#draw(prologue(news.setting));
    const line = sentence(news, this.#startedNs, this.#promisedMs);
    if (line) this.#draw([line]);
  }

  finish(summary: Summary): void {
    this.#rows.clear();
    this.#draw(closingWords(summary));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#rows.clear();
    this.#draw([]);
    this.#out.write(showCursor);
  }

  #note(news: News): void {
    if (news.kind === 'curtain') this.#begin(news.setting);
    if (news.kind === 'started') this.#rows.set(news.member, { state: 'starting' });
    if (news.kind === 'crashed') this.#rows.set(news.member, { state: 'crashed', atNs: news.atNs });
    if (news.kind === 'look') this.#look(news);
  }

  /** Everyone has a row from the beginning, in the same order whoever speaks first. */
  #begin({ guarantees, members }: Setting): void {
    this.#promisedMs = guarantees.failoverMsMax;
    for (const member of members) this.#rows.set(member, { state: 'starting' });
  }

  /** What a member told before its crash may arrive after it. */
  #look({ member, look }: News & { kind: 'look' }): void {
    const row = this.#rows.get(member);
    if (row?.state !== 'crashed') this.#rows.set(member, look);
  }

  /** Writes `lines` where the block was, and the block below them, in one write. */
  #draw(lines: readonly Line[]): void {
    const block = this.#rows.size === 0 ? [] : [[], ...[...this.#rows].map(([member, row]) => memberLine(member, row))];
    const width = this.#out.columns || widthUnknown;
    const text = [...lines, ...block].map((line) => `${render(line, width, this.#out.hasColors())}\n`).join('');
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : '';
    this.#drawn = block.length;
    this.#out.write(`${up}\r${clearBelow}${text}`);
  }
}
