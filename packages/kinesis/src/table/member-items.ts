// Interprets the small items by which members communicate. The age of an item is how long it
// has read the same on the reader's own monotonic clock. No wall clock and no clock of DynamoDB is
// involved.
import type { Instant } from '@leadership/core/adapter';
import { type Item, keys, memberItemKind, textField, textIn } from './layout.ts';

/** An item of a member, as this member has read it. */
export interface MemberItem {
  readonly item: string;
  readonly kind: 'member' | 'lease-request';
  readonly text: string;
  /** When this text was first read. */
  readonly since: Instant;
  /** When it was last read. Equal to `since` if the text is new. */
  readonly readAt: Instant;
}

/** The name and the text of a member's item. */
export type WrittenItem = Pick<MemberItem, 'item' | 'text'>;

/**
 * Extracts the members' items from `items`, which were read at `readAt`. `before` is the last
 * result.
 */
export function memberItemsIn(
  items: readonly Item[],
  before: readonly MemberItem[],
  readAt: Instant,
): readonly MemberItem[] {
  const known = new Map(before.map((one) => [one.item, one]));
  return items.flatMap((data) => {
    const item = textIn(data, keys.item) ?? '';
    const kind = memberItemKind(item);
    const text = textIn(data, textField);
    if (kind === undefined || text === undefined) return [];
    const old = known.get(item);
    return [{ item, kind, text, since: old?.text === text ? old.since : readAt, readAt }];
  });
}
