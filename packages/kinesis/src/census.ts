// Who is there, by the notes they keep: whose counter has stood still for long on the reader's own clock is gone.
import { memberItem } from './layout.ts';
import type { Note } from './notes.ts';

/** Two beats may be late before a member counts as gone. In T. */
const staleThresholds = 2.5;

/** The notes of members. */
export function memberNotes(notes: readonly Note[]): readonly Note[] {
  return notes.filter(({ kind }) => kind === 'member');
}

/** Those of members that are there, given their T. Milliseconds. */
export function presentNotes(notes: readonly Note[], thresholdMs: number): readonly Note[] {
  return memberNotes(notes).filter((note) => ageMs(note) < staleThresholds * thresholdMs);
}

/** How many look after the group: whoever stands for election, and this member. */
export function readersIn(notes: readonly Note[], incarnation: string, thresholdMs: number): number {
  const present = presentNotes(notes, thresholdMs);
  const isAmong = present.some(({ item }) => item === memberItem(incarnation));
  return present.length + (isAmong ? 0 : 1);
}

/** How long a note has read the same. Milliseconds. */
export function ageMs({ since, readAt }: Note): number {
  return readAt - since;
}
