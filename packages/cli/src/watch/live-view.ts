// The view of `leadership watch` on a terminal.
import type { LeadershipEvent, LeadershipSource } from '@leadership/core';
import { statusReport } from '../status/status-report.ts';
import { statusText } from '../status/status-text.ts';
import { clipped } from '../terminal-text.ts';
import { eventText } from './event-text.ts';

/** How many of the latest events the view shows. */
const eventsMax = 8;

/** The size of a terminal, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A view of a group for a terminal: the output of `status`, and the latest events. */
export class LiveView {
  readonly #source: LeadershipSource;
  readonly #roles: readonly string[];
  #events: readonly LeadershipEvent[] = [];
  #height = 0;

  constructor(source: LeadershipSource, roles: readonly string[]) {
    this.#source = source;
    this.#roles = roles;
  }

  add(event: LeadershipEvent): void {
    this.#events = [...this.#events, event].slice(-eventsMax);
  }

  /** Returns the text that replaces the previous one on a terminal of that size. */
  render(nowMs: number, { columns, rows }: TerminalSize): string {
    const report = statusText(statusReport(this.#source, this.#roles, nowMs), nowMs);
    const events = ['', ...this.#events.map(eventText)];
    // The cursor is in the line below.
    const lines = [...fitted(report.split('\n'), rows - 1 - events.length), ...events];
    const back = this.#height === 0 ? '' : `\u001b[${this.#height}A\u001b[0J`;
    this.#height = lines.length;
    // A line that wraps would make the next frame begin at the wrong place.
    return `${back}${lines.map((line) => clipped(line, columns)).join('\n')}\n`;
  }
}

/**
 * Returns the lines, or the first and the last ones if they are more than that: no terminal moves the
 * cursor back to a line that it has scrolled away. The last ones are the troubles.
 */
function fitted(lines: readonly string[], linesMax: number): readonly string[] {
  if (lines.length <= linesMax) return lines;
  const room = Math.max(2, linesMax - 1);
  const first = Math.ceil(room / 2);
  const hidden = lines.length - room;
  const last = lines.slice(first + hidden);
  return [
    ...lines.slice(0, first),
    `… ${hidden} more lines: leadership status prints all …`,
    ...last,
  ];
}
