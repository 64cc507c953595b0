// The demo's view on a terminal: past events scroll up as lines, and below them, a block with one
// line per member is redrawn in place.
import type { WriteStream } from 'node:tty';
import type { DemoEvent, Setup, Summary, View } from './demo-event.ts';
import { eventLine } from './event-line.ts';
import { headerLines } from './header.ts';
import { type Line, render } from './line.ts';
import { type MemberRow, memberLine } from './member-line.ts';
import type { MemberEvent } from './members.ts';
import { summaryLines } from './summary.ts';

/**
 * Pause between two redraws, in milliseconds. Short enough to show a lease of one second shrink,
 * long enough not to flicker.
 */
const frameMs = 100;
/** The width to assume, in columns. Some terminals report a width of 0. */
const widthUnknown = 80;
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearBelow = '\u001b[J';

/** Shows the demo on a terminal. */
export class LiveView implements View {
  readonly #out: WriteStream;
  readonly #startedNs: bigint;
  readonly #leaseMs: () => number | undefined;
  readonly #rows = new Map<string, MemberRow>();
  readonly #timer: NodeJS.Timeout;
  #promisedMs: number | 'unbounded' = 'unbounded';
  #drawn = 0;

  /** `leaseMs` returns what is left of the lease, if it is known, in milliseconds. */
  constructor(out: WriteStream, startedNs: bigint, leaseMs: () => number | undefined) {
    this.#out = out;
    this.#leaseMs = leaseMs;
    this.#startedNs = startedNs;
    out.write(hideCursor);
    this.#timer = setInterval(() => this.#draw([]), frameMs);
  }

  show(demoEvent: DemoEvent): void {
    this.#update(demoEvent);
    if (demoEvent.kind === 'setup') this.#draw(headerLines(demoEvent.setup));
    const line = eventLine(demoEvent, this.#startedNs, this.#promisedMs);
    if (line) this.#draw([line]);
  }

  finish(summary: Summary): void {
    this.#rows.clear();
    this.#draw(summaryLines(summary));
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#rows.clear();
    this.#draw([]);
    this.#out.write(showCursor);
  }

  #update(demoEvent: DemoEvent): void {
    if (demoEvent.kind === 'setup') this.#begin(demoEvent.setup);
    if (demoEvent.kind === 'started') this.#rows.set(demoEvent.member, { state: 'starting' });
    if (demoEvent.kind === 'killed') this.#rows.set(demoEvent.member, { state: 'killed' });
    if (demoEvent.kind === 'member') this.#note(demoEvent);
  }

  /** Adds a row for every member, so that the order of rows does not depend on who starts first. */
  #begin({ guarantees, members }: Setup): void {
    this.#promisedMs = guarantees.failoverMsMax;
    for (const member of members) this.#rows.set(member, { state: 'starting' });
  }

  /** Ignores what the command of a killed member still says. */
  #note({ member, event }: MemberEvent): void {
    const row = this.#rows.get(member);
    if (row?.state === 'killed') return;
    if (event.kind === 'leads')
      this.#rows.set(member, { state: 'leading', token: String(event.token) });
    if (event.kind === 'resigns' && row !== undefined)
      this.#rows.set(member, { ...row, state: 'ending' });
    if (event.kind === 'campaigns' || event.kind === 'ended')
      this.#rows.set(member, { state: 'waiting' });
  }

  /** The rows with what the demo's source observes now. */
  #lines(): readonly Line[] {
    const [leader] = [...this.#rows].find(([, { state }]) => state === 'leading') ?? [];
    const remainingMs = this.#leaseMs();
    return [...this.#rows].map(([member, row]) =>
      memberLine(member, { ...row, leader, remainingMs }),
    );
  }

  /** Replaces the block by `lines` and draws the block again below them, in one write. */
  #draw(lines: readonly Line[]): void {
    const block = this.#rows.size === 0 ? [] : [[], ...this.#lines()];
    const width = this.#out.columns || widthUnknown;
    const text = [...lines, ...block]
      .map((line) => `${render(line, width, this.#out.hasColors())}\n`)
      .join('');
    const up = this.#drawn > 0 ? `\u001b[${this.#drawn}A` : '';
    this.#drawn = block.length;
    this.#out.write(`${up}\r${clearBelow}${text}`);
  }
}
