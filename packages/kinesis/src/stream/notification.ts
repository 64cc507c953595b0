// Encodes wake-up notifications. A notification only says that something in the table has changed.
import { jsonFields } from '@leadership/core/adapter';

/** Encodes a member's notification. */
export function formatNotification(group: string, incarnation: string): string {
  return JSON.stringify({ kind: 'wake-up', group, incarnation });
}

/** Returns the sender of a notification for this group; `undefined` for any other record. */
export function notifierIn(text: string, group: string): string | undefined {
  const { kind, group: named, incarnation } = jsonFields(text) ?? {};
  return kind === 'wake-up' && named === group && typeof incarnation === 'string'
    ? incarnation
    : undefined;
}

/** Whether a record is a notification of any group. */
export function isNotification(text: string): boolean {
  return jsonFields(text)?.['kind'] === 'wake-up';
}
