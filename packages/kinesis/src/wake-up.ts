// Encodes wake-up notifications. A notification only says that something in the table has changed.
import { fieldsOf } from './fields-of.ts';

/** Encodes a member's notification. */
export function wakeUpOf(group: string, incarnation: string): string {
  return JSON.stringify({ kind: 'wake-up', group, incarnation });
}

/** Returns the sender of a notification for this group; `undefined` for any other record. */
export function wakerIn(text: string, group: string): string | undefined {
  const { kind, group: named, incarnation } = fieldsOf(text) ?? {};
  return kind === 'wake-up' && named === group && typeof incarnation === 'string' ? incarnation : undefined;
}

/** Whether a record is a notification of any group. */
export function isWakeUp(text: string): boolean {
  return fieldsOf(text)?.['kind'] === 'wake-up';
}
