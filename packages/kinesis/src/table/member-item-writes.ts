// Writes and removes the small items by which members communicate.
import { withResponseTimeout } from '../client/response-timeout.ts';
import { keys, textField } from './layout.ts';
import type { WrittenItem } from './member-items.ts';
import type { Store } from './store.ts';

/** The number of stale items that one sweep removes. Later reads return the others again. */
const sweptAtOnce = 25;

/** Formats the content of an item. */
export function itemText(content: object): string {
  return JSON.stringify(content);
}

/** Writes an item, replacing an older one with the same name. */
export async function putMemberItem(
  { table, group, busy }: Store,
  item: string,
  content: object,
  signal: AbortSignal,
): Promise<void> {
  const data = {
    [keys.group]: { S: group },
    [keys.item]: { S: item },
    [textField]: { S: itemText(content) },
  };
  await busy.track(table.put(data, undefined, signal));
}

/**
 * Removes an item if its text is still `text`. Without `text` it removes the item in any case,
 * which is for a member's own items. Rejects if the outcome is unknown.
 */
export async function removeMemberItem(
  { table, group, busy, clock, limitMs }: Store,
  item: string,
  text?: string,
): Promise<void> {
  const expected = text === undefined ? {} : { [textField]: { S: text } };
  const until = new AbortController().signal;
  await busy.track(
    withResponseTimeout(table, { clock, limitMs, signal: until }, (signal) =>
      table.remove(group, item, expected, signal),
    ),
  );
}

/**
 * Removes items whose text is unchanged, in parallel. Ignores failures: other members will retry.
 */
export async function removeMemberItems(
  store: Store,
  items: readonly WrittenItem[],
): Promise<void> {
  await Promise.allSettled(items.map(({ item, text }) => removeMemberItem(store, item, text)));
}

/**
 * Creates a function that removes stale items in the background, so that news does not wait for it.
 */
export function sweeper(store: Store): (gone: readonly WrittenItem[]) => void {
  let isUnderWay = false;
  const sweep = async (gone: readonly WrittenItem[]): Promise<void> => {
    isUnderWay = true;
    await removeMemberItems(store, gone);
    isUnderWay = false;
  };
  return (gone) => {
    if (!isUnderWay && gone.length > 0) void sweep(gone.slice(0, sweptAtOnce));
  };
}
