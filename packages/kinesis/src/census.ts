// Decides which members are alive. A member counts as gone once its item has not changed for a
// while on the reader's own clock.
import { memberItem } from './layout.ts';
import type { Note } from './notes.ts';

/** A member counts as gone after two late beats. In T. */
const staleThresholds = 2.5;

/** Returns the items by which members announce themselves. */
export function memberNotes(notes: readonly Note[]): readonly Note[] {
  return notes.filter(({ kind }) => kind === 'member');
}

/** Returns the items of members that are alive. `thresholdMs` is T in milliseconds. */
export function presentNotes(notes: readonly Note[], thresholdMs: number): readonly Note[] {
  return memberNotes(notes).filter((note) => ageMs(note) < staleThresholds * thresholdMs);
}

/**
 * Counts the members that read the group's items: the candidates that are alive, and this member.
 */
export function readersIn(notes: readonly Note[], incarnation: string, thresholdMs: number): number {
  const present = presentNotes(notes, thresholdMs);
  const isAmong = present.some(({ item }) => item === memberItem(incarnation));
  return present.length + (isAmong ? 0 : 1);
}

/** Returns for how long an item has read the same. Milliseconds. */
export function ageMs({ since, readAt }: Note): number {
  return readAt - since;
}
