// Decides which members are alive. A member counts as gone once its item has not changed for a
// while on the reader's own clock.
import { presenceItem } from './layout.ts';
import type { MemberItem } from './member-items.ts';

/** A member counts as gone after two late beats. In T. */
const staleThresholds = 2.5;

/** Returns the items by which members announce themselves. */
export function presenceItems(items: readonly MemberItem[]): readonly MemberItem[] {
  return items.filter(({ kind }) => kind === 'member');
}

/** Returns the items of members that are alive. `thresholdMs` is T in milliseconds. */
export function presentMembers(
  items: readonly MemberItem[],
  thresholdMs: number,
): readonly MemberItem[] {
  return presenceItems(items).filter((item) => ageMs(item) < staleThresholds * thresholdMs);
}

/**
 * Counts the members that read the group's items: the candidates that are alive, and this member.
 */
export function readerCount(
  items: readonly MemberItem[],
  incarnation: string,
  thresholdMs: number,
): number {
  const present = presentMembers(items, thresholdMs);
  const isAmong = present.some(({ item }) => item === presenceItem(incarnation));
  return present.length + (isAmong ? 0 : 1);
}

/** Returns for how long an item has read the same. Milliseconds. */
export function ageMs({ since, readAt }: MemberItem): number {
  return readAt - since;
}
