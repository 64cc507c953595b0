// The text of a notification: who has changed rows, whether others wait for that, and in full the sessions
// among these rows and those that others wait for. A text without both is a proof: it only shows its receivers that notifications arrive.
import { isFields, jsonFields } from '../engine/envelope.ts';
import type { NamedText, RowChange } from './rows.ts';

/** The content of a notification. */
export interface Notification {
  /** The incarnation of the member that has sent it, if the text names one. */
  readonly from: string | undefined;
  /** Whether rows changed that others wait for. */
  readonly isAwaited: boolean;
  /** Rows as they were written: a reader counts T from when it saw a session, and claims over a release. */
  readonly shown: readonly NamedText[];
}

/** The longest text. Postgres takes 7999 bytes, and a unit of UTF-16 has at most three in UTF-8. */
const lengthMax = 2600;

/** Returns whether others are notified of the change: they wait for it, or it is of a session. */
export function isNotified(change: RowChange): boolean {
  return change.isAwaited === true || isShown(change);
}

/** Formats the notification of an exchange. Rows that would make it too long are left out. */
export function formatNotification(from: string, changes: readonly RowChange[]): string {
  const awaited = changes.some(({ isAwaited }) => isAwaited);
  const shown = changes.filter(isShown).map(({ name, text }) => [name, text]);
  const full = JSON.stringify({ from, awaited, shown });
  return full.length <= lengthMax ? full : JSON.stringify({ from, awaited });
}

/** Parses a notification. A text of another kind says that rows may have changed. */
export function parseNotification(text: string): Notification {
  const { from, awaited, shown } = jsonFields(text) ?? {};
  if (typeof from !== 'string') return { from: undefined, isAwaited: true, shown: [] };
  const rows: readonly unknown[] = Array.isArray(shown) ? shown : [];
  return { from, isAwaited: awaited === true, shown: rows.filter(isNamedText) };
}

/** Returns whether others are shown the text of the change. */
export function isShown({ name, text, isAwaited = false }: RowChange): boolean {
  return text !== null && (isAwaited || name.startsWith('session#'));
}

function isNamedText(row: unknown): row is NamedText {
  return isFields(row) && typeof row[0] === 'string' && typeof row[1] === 'string';
}
