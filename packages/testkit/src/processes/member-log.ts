// Collects the events of a member process for its test.
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { formatEvent, parseEvent } from './event-json.ts';
import type { MemberEvent } from './process-member.ts';

/** The event log of a member process. */
export interface MemberLog {
  readonly events: readonly MemberEvent[];
  /**
   * Resolves with the first event that `matches`. Rejects after `withinMs` or once the log has
   * ended.
   */
  until(matches: (event: MemberEvent) => boolean, withinMs: number): Promise<MemberEvent>;
  /** Ends the log with a reason. */
  end(why: string): void;
}

interface Waiting {
  received(event: MemberEvent): void;
  giveUp(why: string): void;
}

/** Reads the log that a member process writes to its standard output. */
export function memberLog(output: Readable): MemberLog {
  const events: MemberEvent[] = [];
  const waiting = new Set<Waiting>();
  let ended: string | undefined;
  createInterface({ input: output }).on('line', (line) => {
    const event = parseEvent(line);
    events.push(event);
    for (const one of waiting) one.received(event);
  });
  return {
    events,
    until(matches, withinMs) {
      const found = events.find(matches);
      if (found) return Promise.resolve(found);
      if (ended !== undefined) return Promise.reject(new Error(complaint(ended, events)));
      return new Promise((resolve, reject) => {
        const over = (settle: () => void): void => {
          clearTimeout(timer);
          waiting.delete(one);
          settle();
        };
        const giveUp = (why: string): void => over(() => reject(new Error(complaint(why, events))));
        const one = {
          giveUp,
          received: (event: MemberEvent) => matches(event) && over(() => resolve(event)),
        };
        const timer = setTimeout(() => giveUp(`waited ${withinMs} ms without success`), withinMs);
        waiting.add(one);
      });
    },
    end(why) {
      ended = why;
      for (const one of waiting) one.giveUp(why);
    },
  };
}

/** The number of recent events in an error message. */
const shown = 40;

function complaint(why: string, events: readonly MemberEvent[]): string {
  return [
    `${why}; of ${events.length} events logged, the last were:`,
    ...events.slice(-shown).map(formatEvent),
  ].join('\n  ');
}
