import { expect, it } from 'vitest';
import { printable } from '../../src/adapter/printable.ts';

it.each([
  ['keeps letters of any script, digits, punctuation and emoji', 'a-b.c 雪 é 👍', 'a-b.c 雪 é 👍'],
  ['escapes an escape sequence of a terminal', '\u001b[2J', String.raw`\u{1b}[2J`],
  ['escapes the same sequence in its one-character form', '\u009b2J', String.raw`\u{9b}2J`],
  ['escapes line breaks, tabs and delete', 'a\r\nb\tc\u007f', String.raw`a\u{d}\u{a}b\u{9}c\u{7f}`],
  [
    'escapes characters that change the direction of text',
    '\u202egnp\u2066',
    String.raw`\u{202e}gnp\u{2066}`,
  ],
  [
    'escapes invisible characters and line separators',
    'a\u200bb\u2028\u{e0001}',
    String.raw`a\u{200b}b\u{2028}\u{e0001}`,
  ],
  ['escapes half of a surrogate pair', '\ud800', String.raw`\u{d800}`],
  [
    'escapes a backslash only where it would look like an escaped character',
    String.raw`C:\users \u{1b}`,
    String.raw`C:\users \u{5c}u{1b}`,
  ],
])('%s', (_what, text, shown) => {
  expect(printable(text)).toBe(shown);
});
