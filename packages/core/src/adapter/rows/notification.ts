// The text of a notification: who has changed a row, and a released lease in full.
import { memberRowKind } from './names.ts';
import type { DeliveredRow, RowChange } from './rows.ts';

/** The content of a notification. */
export interface Notification {
  /** The incarnation of the member that has sent it, if the text names one. */
  readonly sender: string | undefined;
  readonly row?: DeliveredRow;
}

/** A notification that announces no change. It only shows its receivers that notifications arrive. */
export const proofNotification = 'proof';

/** The longest text. Postgres takes 7999 bytes, and a unit of UTF-16 has at most three in UTF-8. */
const lengthMax = 2600;

/**
 * Formats the notification of a change. The rows of members are left out, because their readers
 * read everything anyway, and so is a row that would make it too long.
 */
export function formatNotification(sender: string, { name, text }: RowChange): string {
  const full = JSON.stringify([sender, name, text]);
  const isShort = full.length <= lengthMax;
  return isShort && memberRowKind(name) === undefined ? full : JSON.stringify([sender]);
}

/** Parses a notification. A text of another kind only says that rows may have changed. */
export function parseNotification(notification: string): Notification {
  const [sender, name, text] = itemsIn(notification);
  return {
    sender: typeof sender === 'string' ? sender : undefined,
    ...(typeof name === 'string' && typeof text === 'string' && { row: { name, text } }),
  };
}

function itemsIn(text: string): readonly unknown[] {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : [];
  } catch {
    return [];
  }
}
