// Names and texts that stores misread, and groups that must not meet.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Triple } from '../reader.ts';
import { type RowsCheck, type RowsContext, rowsCheck } from '../rows-check.ts';

/** Quotes, patterns, separators and escapes of SQL, Lua, JSON, URLs, shells and paths; Unicode. */
const hostile: readonly string[] = [
  ' ',
  'a ',
  'A',
  'a',
  '\n',
  '\r\n\t\u0001\u007f',
  "'",
  '"',
  "'; drop table leadership; --",
  '$1',
  '$$',
  '%s %d %',
  'a_%',
  '\\',
  '\\x00',
  '\\u0000',
  '{"a":"b"}',
  '{}',
  '{"',
  '[',
  ']]',
  '--[[',
  '..',
  '../a',
  '/',
  'a/b',
  'a#1',
  'a\u0301',
  '\u00e1',
  'ß',
  'ẞ',
  '\u0130',
  '🙂',
  '👩‍👩‍👧',
  '\u202eright to left',
  '\ufeff',
  '\uffff',
  'null',
  'NULL',
  'true',
  '0',
  '-1',
  '1e3',
  '007',
  '__proto__',
  'constructor',
];

async function roundTrip({ pair }: RowsContext, texts: readonly string[]): Promise<void> {
  const [writer, reader] = await pair();
  const { changesMax } = writer.rows.traits;
  const changeAll = async (changeOf: (text: string, index: number) => Triple): Promise<void> => {
    for (let from = 0; from < texts.length; from += changesMax) {
      const changes = texts
        .slice(from, from + changesMax)
        .map((text, index) => changeOf(text, from + index));
      const outcomes = await writer.change(...changes);
      for (const [index, change] of changes.entries())
        deepStrictEqual(outcomes[index], true, `the change ${JSON.stringify(change)} is made`);
    }
  };
  const agreeOn = async (expected: readonly (readonly [string, string])[]): Promise<void> => {
    const sorted = [...expected].sort();
    deepStrictEqual([...writer.view].sort(), sorted, 'what the member knows that made the changes');
    await reader.exchange();
    deepStrictEqual([...reader.view].sort(), sorted, 'what another member reads');
  };
  // Each text is of a row whose name is the text before: so no row has the name of its text.
  const nameOf = (index: number): string => texts.at(index - 1) ?? '';
  await changeAll((text, index) => [nameOf(index), null, text]);
  await agreeOn(texts.map((text, index) => [nameOf(index), text]));
  await changeAll((text, index) => [nameOf(index), text, `2${text}`]);
  await agreeOn(texts.map((text, index) => [nameOf(index), `2${text}`]));
  await changeAll((text, index) => [nameOf(index), `2${text}`, null]);
  await agreeOn([]);
}

/** Names and texts with all that somebody may escape wrongly. */
export const hostileTexts: RowsCheck = rowsCheck({
  id: 'hostile-texts',
  title: 'Names and texts are kept and compared as they are, whatever they contain.',
  run: (context) => roundTrip(context, hostile),
});

/** NUL, where the store allows it. */
export const nulTexts: RowsCheck = rowsCheck({
  id: 'nul',
  title: 'Names and texts may contain NUL.',
  needs: ['nul'],
  run: (context) => roundTrip(context, ['a', 'a\0', '\0', 'a\0b', '\0\0']),
});

/** The longest text, of ASCII and of characters with four bytes. */
export const longTexts: RowsCheck = rowsCheck({
  id: 'long-texts',
  title: 'A text may have 64 KiB.',
  async run({ pair }) {
    const [writer, reader] = await pair();
    const [ascii, other] = ['x'.repeat(2 ** 16 - 1), '🙂'.repeat(2 ** 14 - 1)];
    deepStrictEqual(await writer.change(['a', null, `${ascii}1`], ['b', null, `${other}1`]), [
      true,
      true,
    ]);
    // Texts that differ in their last character only.
    const changes: readonly Triple[] = [
      ['a', `${ascii}1`, `${ascii}2`],
      ['b', `${other}2`, `${other}3`],
    ];
    const outcomes = await writer.change(...changes);
    deepStrictEqual(outcomes, [true, false], 'the outcomes for long texts');
    ok((await reader.read())['a'] === `${ascii}2`, 'a text of ASCII is cut off');
    ok(reader.known['b'] === `${other}1`, 'a text of other characters is cut off');
  },
});

/** Groups whose names look alike to a store that builds keys of them. */
export const groupsApart: RowsCheck = rowsCheck({
  id: 'groups-apart',
  title: 'A group reads and changes its own rows only.',
  async run({ open }) {
    const own = randomUUID();
    const endings = ['', '/h', '0', '%2Fh', '}', '{', "'", ' ', 'é 🙂', '\n', '%', '_', '#a'];
    const groups = await Promise.all(endings.map((ending) => open(own + ending)));
    for (const [index, group] of groups.entries()) {
      await group.read();
      deepStrictEqual(await group.change(['a', null, `1${index}`]), [true], 'its rows are new');
    }
    for (const [index, group] of groups.entries()) {
      deepStrictEqual(
        await group.read(),
        { a: `1${index}` },
        `group ${JSON.stringify(endings[index])}`,
      );
      deepStrictEqual(await group.change(['a', `1${index}`, null]), [true]);
    }
    for (const group of groups) deepStrictEqual(await group.read(), {});
  },
});
