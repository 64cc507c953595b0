// Predicates that select the note to wait for.
import type { LeadershipEventKind } from '@leadership/core';
import type { MemberNote } from './members.ts';

/** Matches the note of a member that has opened its source. */
export function opened({ note }: MemberNote): boolean {
  return note.kind === 'opened';
}

/** Returns a predicate that matches an event of this kind from `member`. */
export function is(kind: LeadershipEventKind, member: string): (from: MemberNote) => boolean {
  return (from) =>
    from.member === member && from.note.kind === 'event' && from.note.event.kind === kind;
}

/**
 * Returns a predicate that matches a member that acquired leadership, other than `except` if it is
 * given.
 */
export function acquired(except?: string): (from: MemberNote) => boolean {
  return (from) => from.member !== except && is('acquired', from.member)(from);
}
