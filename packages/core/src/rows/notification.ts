// The text of a notification: who has changed rows, whether others wait for that, and in full the sessions
// among these rows, those that others wait for, and those that are announced. A text without rows that
// others wait for is a proof: it only shows its receivers that notifications arrive.
import { jsonFields } from '../engine/envelope.ts';
import type { NamedText, RowChange } from './rows.ts';

/** The content of a notification. */
export interface Notification {
  /** The incarnation of the member that has sent it, if the text names one. */
  readonly from: string | undefined;
  /** Whether rows changed that others wait for, or that are announced and not shown. */
  readonly isAwaited: boolean;
  /** Rows as they were written: a reader counts T from when it saw a session, and claims over a release. */
  readonly shown: readonly NamedText[];
}

/** A row, and the number of its change in the exchange. */
type Numbered = readonly [change: number, name: string, text: string];

/**
 * The longest text. Postgres takes 7999 bytes, a unit of UTF-16 has at most three in UTF-8, and a digit
 * follows for each change.
 */
const lengthMax = 2500;

/** Returns whether others are notified of the change: they wait for it, or it is shown to them. */
export function isNotified(change: RowChange): boolean {
  return isNews(change) || isShown(change);
}

/**
 * Formats the notification of an exchange. Rows that would make it too long are left out. A store that
 * knows which changes it has made appends a blank and a digit for each, 1 if it was made: only then
 * receivers see announced rows without a reading.
 */
export function formatNotification(from: string, changes: readonly RowChange[]): string {
  const awaited = changes.some(({ isAwaited }) => isAwaited);
  const shown = changes.flatMap((change, index): Numbered[] =>
    isShown(change) && change.text !== null ? [[index, change.name, change.text]] : [],
  );
  const announced = changes.flatMap(({ isAnnounced }, index) => (isAnnounced ? [index] : []));
  const isAwaited = awaited || announced.length > 0;
  const full = JSON.stringify({ from, awaited, shown, ...(announced.length > 0 && { announced }) });
  return full.length <= lengthMax ? full : JSON.stringify({ from, awaited: isAwaited });
}

/** Parses a notification. A text of another kind says that rows may have changed. */
export function parseNotification(text: string): Notification {
  const [, body = text, outcomes] = /^(.*\}) ([01]*)$/s.exec(text) ?? [];
  const { from, awaited, shown, announced } = jsonFields(body) ?? {};
  if (typeof from !== 'string') return { from: undefined, isAwaited: true, shown: [] };
  const rows: readonly unknown[] = Array.isArray(shown) ? shown : [];
  const hidden: readonly unknown[] =
    outcomes === undefined && Array.isArray(announced) ? announced : [];
  return {
    from,
    isAwaited: awaited === true || hidden.length > 0,
    shown: rows
      .filter(isNumbered)
      .filter(([change]) => outcomes?.[change] !== '0' && !hidden.includes(change))
      .map(([, name, row]) => [name, row]),
  };
}

/** Returns whether others read the change at once if nothing shows it to them. */
function isNews({ isAwaited = false, isAnnounced = false }: RowChange): boolean {
  return isAwaited || isAnnounced;
}

/** Returns whether others are shown the text of the change. */
function isShown(change: RowChange): boolean {
  return change.text !== null && (isNews(change) || change.name.startsWith('session#'));
}

function isNumbered(row: unknown): row is Numbered {
  const [change, name, text] = Array.isArray(row) ? (row as readonly unknown[]) : [];
  return typeof change === 'number' && typeof name === 'string' && typeof text === 'string';
}
