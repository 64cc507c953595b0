// Which members take part, as the rows show it to one member. Nothing safe depends on it: it says how
// many members read a stream, and whether another one can succeed a leader.
import type { Clock, Instant } from '@leadership/core/adapter';
import { after } from '@leadership/core/internal/engine';
import { incarnationOf, parseName } from '@leadership/core/internal/rows';

/** A member counts as gone once its row has not changed for that long: two late changes. In T. */
const staleThresholds = 2.5;

/** The text of a row, and when a reading first showed it. */
interface Shown {
  readonly text: string;
  readonly at: Instant;
}

/** The members of a group that are present. */
export class Presence {
  readonly #clock: Clock;
  readonly #staleMs: number;
  #shown: ReadonlyMap<string, Shown> = new Map();

  constructor(clock: Clock, thresholdMs: number) {
    this.#clock = clock;
    this.#staleMs = staleThresholds * thresholdMs;
  }

  /** Takes a reading of the rows. Returns the incarnations that are present. */
  read(rows: ReadonlyMap<string, string>): readonly string[] {
    const now = this.#clock.now();
    const shown = new Map<string, Shown>();
    const present = new Set<string>();
    for (const [name, text] of rows) {
      const incarnation = memberOf(name, text);
      if (incarnation === undefined) continue;
      const before = this.#shown.get(name);
      const one = before?.text === text ? before : { text, at: now };
      shown.set(name, one);
      if (now < after(one.at, this.#staleMs)) present.add(incarnation);
    }
    this.#shown = shown;
    return [...present];
  }
}

/** Returns the member that is there by this row, if it is a session that lives, or a note. */
function memberOf(name: string, text: string): string | undefined {
  const of = parseName(name);
  if (of.kind === 'member') return of.id;
  return of.kind === 'session' && text.startsWith('{"kind":"live"')
    ? incarnationOf(of.id)
    : undefined;
}
