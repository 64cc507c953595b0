// Which note is waited for.
import type { LeadershipEventKind } from '@leadership/core';
import type { MemberNote } from './troupe.ts';

/** A member has opened its source. */
export function opened({ note }: MemberNote): boolean {
  return note.kind === 'opened';
}

/** `member` told an event of this kind. */
export function is(kind: LeadershipEventKind, member: string): (from: MemberNote) => boolean {
  return (from) => from.member === member && from.note.kind === 'event' && from.note.event.kind === kind;
}

/** Somebody began to lead; another than `except`, where it is given. */
export function acquired(except?: string): (from: MemberNote) => boolean {
  return (from) => from.member !== except && is('acquired', from.member)(from);
}
