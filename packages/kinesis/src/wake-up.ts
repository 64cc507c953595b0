// A wake-up as it travels: it says that there is something to see in the table, and nothing more.
import { fieldsOf } from './fields-of.ts';

/** A member's wake-up, as text. */
export function wakeUpOf(group: string, incarnation: string): string {
  return JSON.stringify({ kind: 'wake-up', group, incarnation });
}

/** Whose wake-up for that group it is; `undefined` where it is none. */
export function wakerIn(text: string, group: string): string | undefined {
  const { kind, group: named, incarnation } = fieldsOf(text) ?? {};
  return kind === 'wake-up' && named === group && typeof incarnation === 'string' ? incarnation : undefined;
}

/** Whether it is a wake-up of any group's. */
export function isWakeUp(text: string): boolean {
  return fieldsOf(text)?.['kind'] === 'wake-up';
}
