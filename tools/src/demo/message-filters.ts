// Predicates that select the message to wait for.
import type { LeadershipEventKind } from '@leadership/core';
import type { SentMessage } from './members.ts';

/** Matches the message of a member that has opened its source. */
export function opened({ message }: SentMessage): boolean {
  return message.kind === 'opened';
}

/** Returns a predicate that matches an event of this kind from `member`. */
export function is(kind: LeadershipEventKind, member: string): (from: SentMessage) => boolean {
  return (from) =>
    from.member === member && from.message.kind === 'event' && from.message.event.kind === kind;
}

/**
 * Returns a predicate that matches a member that acquired leadership, other than `except` if it is
 * given.
 */
export function acquired(except?: string): (from: SentMessage) => boolean {
  return (from) => from.member !== except && is('acquired', from.member)(from);
}
