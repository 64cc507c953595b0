// Small items that members leave for one another. How old one is, is judged by how long it has read the same on the reader's own
// clock: no clock of DynamoDB's, and nobody's wall clock, decides anything.
import type { Instant } from '@leadership/core/backend';
import { answerOf } from './answer-of.ts';
import { type Item, keys, noteField, noteKind, textIn } from './layout.ts';
import type { Store } from './store.ts';

/** A note as this member has read it. */
export interface Note {
  readonly item: string;
  readonly kind: 'member' | 'want';
  readonly text: string;
  /** Since when it has read like that. */
  readonly since: Instant;
  /** When it was read last: the same instant as `since` where it is new. */
  readonly readAt: Instant;
}

/** A note by its name, and as it was left. */
export type NoteLeft = Pick<Note, 'item' | 'text'>;

/** The notes among `items`, which were read at `readAt`, given how they read before. */
export function notesIn(items: readonly Item[], before: readonly Note[], readAt: Instant): readonly Note[] {
  const known = new Map(before.map((note) => [note.item, note]));
  return items.flatMap((data) => {
    const item = textIn(data, keys.item) ?? '';
    const kind = noteKind(item);
    const text = textIn(data, noteField);
    if (kind === undefined || text === undefined) return [];
    const old = known.get(item);
    return [{ item, kind, text, since: old?.text === text ? old.since : readAt, readAt }];
  });
}

/** So many leftovers are removed at once; the others, once they were read again. */
const sweptAtOnce = 25;

/** What a note says, as it is kept. */
export function noteText(note: object): string {
  return JSON.stringify(note);
}

/** Leaves a note, over an older one of the same name. */
export async function leaveNote({ table, group, busy }: Store, item: string, note: object, signal: AbortSignal): Promise<void> {
  const data = { [keys.group]: { S: group }, [keys.item]: { S: item }, [noteField]: { S: noteText(note) } };
  await busy.with(table.put(data, undefined, signal));
}

/** Removes a note if it still reads like that; an own one, however it reads. Rejects where that is not known. */
export async function removeNote({ table, group, busy, clock, limitMs }: Store, item: string, text?: string): Promise<void> {
  const expected = text === undefined ? {} : { [noteField]: { S: text } };
  const until = new AbortController().signal;
  await busy.with(answerOf(table, { clock, limitMs, until }, (signal) => table.remove(group, item, expected, signal)));
}

/** Removes notes that still read like that, all at once. What cannot be removed is left to others. */
export async function removeNotes(store: Store, notes: readonly NoteLeft[]): Promise<void> {
  await Promise.allSettled(notes.map(({ item, text }) => removeNote(store, item, text)));
}

/** Removes what nobody needs any more, beside whatever else is done: news must not wait for it. */
export function sweeper(store: Store): (gone: readonly NoteLeft[]) => void {
  let isUnderWay = false;
  const sweep = async (gone: readonly NoteLeft[]): Promise<void> => {
    isUnderWay = true;
    await removeNotes(store, gone);
    isUnderWay = false;
  };
  return (gone) => {
    if (!isUnderWay && gone.length > 0) void sweep(gone.slice(0, sweptAtOnce));
  };
}
