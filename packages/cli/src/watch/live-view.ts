// The view of `leadership watch` on a terminal.
import type { LeadershipEvent, LeadershipSource } from '@leadership/core';
import { statusReport } from '../status/status-report.ts';
import { statusText } from '../status/status-text.ts';
import { clipped } from '../terminal-text.ts';
import { eventText } from './event-text.ts';

/** How many of the latest events the view shows. */
const eventsMax = 8;

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

  /** Returns the text that replaces the previous one on a terminal with that many columns. */
  render(nowMs: number, columns: number): string {
    const report = statusText(statusReport(this.#source, this.#roles, nowMs), nowMs);
    const lines = [...report.split('\n'), '', ...this.#events.map(eventText)];
    const back = this.#height === 0 ? '' : `\u001b[${this.#height}A\u001b[0J`;
    this.#height = lines.length;
    // A line that wraps would make the next frame begin at the wrong place.
    return `${back}${lines.map((line) => clipped(line, columns)).join('\n')}\n`;
  }
}
