import { deepStrictEqual, fail } from 'node:assert/strict';
import { changesOf, type Reader, type Triple } from './reader.ts';

/** When a request was sent, and when its answer arrived, in the order of all such events. */
interface Interval {
  readonly sentAt: number;
  readonly answeredAt: number;
}

/** A change that was made. */
interface Made extends Interval {
  readonly expected: string | null;
  readonly text: string | null;
}

/** The rows that a member knew when an answer had arrived. */
interface Known extends Interval {
  readonly reader: Reader;
  readonly view: ReadonlyMap<string, string>;
}

/** A row from its creation to its removal, if it was removed: each change replaces the one before. */
type Life = readonly Made[];

/** Where a text belongs in the history of its row. */
interface Place {
  readonly life: Life;
  readonly index: number;
}

/** The changes and readings of many members at the same time. Every text is used once. */
export class RowHistory {
  readonly #made = new Map<string, Made[]>();
  readonly #known: Known[] = [];
  #events = 0;

  /** Makes the changes, and notes what the answer shows. */
  async exchange(reader: Reader, changes: readonly Triple[]): Promise<void> {
    const sentAt = this.#next();
    const { outcomes } = await reader.exchange({ changes: changesOf(...changes) });
    const interval = { sentAt, answeredAt: this.#next() };
    for (const [index, [name, expected, text]] of changes.entries()) {
      if (!outcomes[index]) continue;
      const made = this.#made.get(name) ?? [];
      this.#made.set(name, made);
      made.push({ expected, text, ...interval });
    }
    this.#known.push({ reader, view: reader.view, ...interval });
  }

  /**
   * Judges, once all members are done, that each row went from text to text, and that no answer
   * showed an older text than an earlier answer to the same member, or than a change that was
   * acknowledged before the request was sent.
   */
  judge(): void {
    for (const [name, made] of this.#made) {
      const lives = livesOf(name, made);
      for (const readings of this.#readings()) judgeReadings(name, lives, readings);
    }
  }

  /** Returns what each member knew, one after the other. */
  #readings(): Iterable<readonly Known[]> {
    const of = new Map<Reader, Known[]>();
    for (const known of this.#known) {
      const readings = of.get(known.reader) ?? [];
      readings.push(known);
      of.set(known.reader, readings);
    }
    return of.values();
  }

  #next(): number {
    this.#events += 1;
    return this.#events;
  }
}

/** Judges what one member has read of a row. */
function judgeReadings(name: string, lives: readonly Life[], readings: readonly Known[]): void {
  const placeOf = placesOf(lives);
  let last: Place | undefined;
  for (const known of readings) {
    const text = known.view.get(name) ?? null;
    const place = placeOf.get(text);
    const fault = text === null ? faultOfNone(lives, known) : faultOf(lives, known, place, last);
    if (fault !== undefined) fail(`row ${name} is read as ${text}, although ${fault}`);
    last = place ?? last;
  }
}

function faultOfNone(lives: readonly Life[], known: Known): string | undefined {
  return lives.some((life) => isThere(life, known)) ? 'it existed all the time' : undefined;
}

function faultOf(
  lives: readonly Life[],
  { sentAt }: Known,
  place: Place | undefined,
  last: Place | undefined,
): string | undefined {
  if (place === undefined) return 'no change has written this text';
  if (lives.some((life) => isReplaced(place, life, sentAt)))
    return 'a newer change was acknowledged before';
  return isBefore(place, last) ? 'the same member has read a newer text' : undefined;
}

function placesOf(lives: readonly Life[]): ReadonlyMap<string | null, Place> {
  const places = lives.flatMap((life) =>
    life.map(({ text }, index) => [text, { life, index }] as const),
  );
  return new Map(places.filter(([text]) => text !== null));
}

/** Returns the lives of a row. Fails if two changes have replaced the same text. */
function livesOf(name: string, made: readonly Made[]): readonly Life[] {
  const followers = new Map<string, Made>();
  for (const one of made) {
    if (one.expected === null) continue;
    if (followers.has(one.expected)) fail(`two changes of row ${name} replace "${one.expected}"`);
    followers.set(one.expected, one);
  }
  const followerOf = ({ text }: Made): Made | undefined =>
    text === null ? undefined : followers.get(text);
  const lives = made
    .filter(({ expected }) => expected === null)
    .map((creation) => {
      const life = [creation];
      for (let next = followerOf(creation); next; next = followerOf(next)) life.push(next);
      return life;
    });
  deepStrictEqual(lives.flat().length, made.length, `each change of row ${name} replaces another`);
  const unended = lives.filter((life) => life.at(-1)?.text !== null);
  if (unended.length > 1) fail(`row ${name} was created ${unended.length} times without a removal`);
  return lives;
}

/** Whether the second life began later. Lives do not overlap, so their creations show their order. */
function precedes([first]: Life, [second]: Life): boolean {
  return first !== undefined && second !== undefined && first.answeredAt < second.sentAt;
}

/** Whether the text at this place was replaced before this moment, by a change of this life. */
function isReplaced({ life, index }: Place, by: Life, at: number): boolean {
  if (by !== life && !precedes(life, by)) return false;
  return by.some((made, other) => made.answeredAt < at && (by !== life || other > index));
}

/** Whether the row certainly existed, in this life, from the first moment to the last. */
function isThere(life: Life, { sentAt, answeredAt }: Interval): boolean {
  const isCreated = life.some((made) => made.answeredAt < sentAt);
  const end = life.at(-1);
  const mayBeGone = end?.text === null && end.sentAt < answeredAt;
  return isCreated && !mayBeGone;
}

function isBefore(place: Place, other: Place | undefined): boolean {
  if (other === undefined) return false;
  if (place.life === other.life) return place.index < other.index;
  return precedes(place.life, other.life);
}
