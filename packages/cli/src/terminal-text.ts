// Prepares text for a terminal, for all commands: text of other members cannot control it, and
// columns are aligned.
import { printable } from '@leadership/core/internal';

const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Formats a value as JSON. Escapes what `JSON.stringify` leaves, such as the C1 and bidi controls. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'bigint' ? String(one) : one,
  );
  return text.replace(unprintable, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Escapes a text of several lines, such as a stack. The first line alone is not indented. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n  ');
}

/** Characters that a terminal adds to the previous one: combining marks. */
const narrowest = /[\p{Mn}\p{Me}]/u;
/** The wide characters of East Asia, and emoji: two columns (Unicode Standard Annex 11). */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** Returns the number of columns that a printable text takes. */
export function widthOf(text: string): number {
  return [...text].reduce((width, character) => width + widthOfCharacter(character), 0);
}

function widthOfCharacter(character: string): number {
  if (narrowest.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** Returns the lines of a table, whose first row is its head. Its texts are escaped. */
export function columns(texts: readonly (readonly string[])[]): readonly string[] {
  const rows = texts.map((row) => row.map(printable));
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Adds spaces up to that many columns. */
function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Returns the beginning of a text that fits into that many columns. */
export function clipped(text: string, columns: number): string {
  let width = 0;
  let end = 0;
  for (const character of text) {
    width += widthOfCharacter(character);
    if (width > columns) break;
    end += character.length;
  }
  return text.slice(0, end);
}
