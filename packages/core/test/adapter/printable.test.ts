import { expect, it } from 'vitest';
import { printable } from '../../src/adapter/printable.ts';

it.each([
  ['a-b.c 雪 é 👍', 'a-b.c 雪 é 👍'],
  ['\u001b[2J', String.raw`\u{1b}[2J`],
  ['\u009b2J', String.raw`\u{9b}2J`],
  ['a\r\nb\tc\u007f', String.raw`a\u{d}\u{a}b\u{9}c\u{7f}`],
  ['\u202egnp\u2066', String.raw`\u{202e}gnp\u{2066}`],
  ['a\u200bb\u2028\u{e0001}', String.raw`a\u{200b}b\u{2028}\u{e0001}`],
  ['\ud800', String.raw`\u{d800}`],
  [String.raw`C:\users \u{1b}`, String.raw`C:\users \u{5c}u{1b}`],
])('%j is printed as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});
