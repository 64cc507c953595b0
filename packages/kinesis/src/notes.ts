// Reads and writes the small items by which members communicate. The age of an item is how long it
// has read the same on the reader's own monotonic clock. No wall clock and no clock of DynamoDB is
// involved.
import type { Instant } from '@leadership/core/backend';
import { answerOf } from './answer-of.ts';
import { type Item, keys, noteField, noteKind, textIn } from './layout.ts';
import type { Store } from './store.ts';

/** An item of a member, as this member has read it. */
export interface Note {
  readonly item: string;
  readonly kind: 'member' | 'want';
  readonly text: string;
  /** When this text was first read. */
  readonly since: Instant;
  /** When it was last read. Equal to `since` if the text is new. */
  readonly readAt: Instant;
}

/** The name and the text of a member's item. */
export type NoteLeft = Pick<Note, 'item' | 'text'>;

/**
 * Extracts the members' items from `items`, which were read at `readAt`. `before` is the last
 * result.
 */
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

/** The number of stale items that one sweep removes. Later reads return the others again. */
const sweptAtOnce = 25;

/** Formats the content of an item. */
export function noteText(note: object): string {
  return JSON.stringify(note);
}

/** Writes an item, replacing an older one with the same name. */
export async function leaveNote({ table, group, busy }: Store, item: string, note: object, signal: AbortSignal): Promise<void> {
  const data = { [keys.group]: { S: group }, [keys.item]: { S: item }, [noteField]: { S: noteText(note) } };
  await busy.with(table.put(data, undefined, signal));
}

/**
 * Removes an item if its text is still `text`. Without `text` it removes the item in any case,
 * which is for a member's own items. Rejects if the outcome is unknown.
 */
export async function removeNote({ table, group, busy, clock, limitMs }: Store, item: string, text?: string): Promise<void> {
  const expected = text === undefined ? {} : { [noteField]: { S: text } };
  const until = new AbortController().signal;
  await busy.with(answerOf(table, { clock, limitMs, until }, (signal) => table.remove(group, item, expected, signal)));
}

/**
 * Removes items whose text is unchanged, in parallel. Ignores failures: other members will retry.
 */
export async function removeNotes(store: Store, notes: readonly NoteLeft[]): Promise<void> {
  await Promise.allSettled(notes.map(({ item, text }) => removeNote(store, item, text)));
}

/**
 * Creates a function that removes stale items in the background, so that news does not wait for it.
 */
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
