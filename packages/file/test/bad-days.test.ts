// What members and persons leave in a directory, and what becomes of it.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { LeadershipError } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { contentOf, versionOf } from '../src/rows/version-name.ts';
import { openReader, type Reader } from './support/reader.ts';
import { versionsIn } from './support/rows-store.ts';
import { removeAtOnce, tempDirectory } from './support/temp-directory.ts';

/** So short that old versions are removed soon, and long enough for a busy machine. Milliseconds. */
const limits = { thresholdMs: 1500, thresholdMsMax: 1500 };

const pathOf = ({ layout }: Reader, number: number): string =>
  join(layout.rows, versionOf('a', number).file);

/** Replaces the row so often. The texts are the numbers of the versions. */
async function writeMany(reader: Reader, count: number): Promise<void> {
  for (let written = 0; written < count; written += 1) {
    const before = reader.view.get('a') ?? null;
    expect(await reader.change('a', before, String(Number(before ?? 0) + 1))).toBe(true);
    await reader.exchange();
  }
}

describe('a paused member', () => {
  it.each([0, 3])(
    'does not take effect with a number that was removed long ago: after %i versions',
    async (versions) => {
      await using home = await tempDirectory();
      await using one = await openReader(home.path, limits);
      await one.exchange();
      await writeMany(one, versions);
      const paused = async (): Promise<void> => {
        await writeMany(one, 6);
        await eventually('the number is removed', async () => {
          await one.exchange();
          return !existsSync(pathOf(one, versions + 1));
        });
      };
      await using zombie = await openReader(home.path, { ...limits, paused });
      await zombie.exchange();
      const before = versions === 0 ? null : String(versions);
      await expect(zombie.change('a', before, 'late')).rejects.toMatchObject({
        code: 'unreachable',
      });
      await zombie.exchange();
      const last = String(versions + 6);
      expect(zombie.view.get('a')).toBe(last);
      await using late = await openReader(home.path, limits);
      await late.exchange();
      expect(late.view.get('a')).toBe(last);
      await eventually('the late version is removed', async () => {
        await one.exchange();
        return (await versionsIn(one.layout.rows, 'a')).length === 2;
      });
      await writeMany(one, 1);
    },
  );

  it('does not accept what another paused member has left as its predecessor', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path, limits);
    await one.exchange();
    await writeMany(one, 3);
    const paused = async (): Promise<void> => {
      // The zombie checks its predecessor before it links its version too, meanwhile.
      await setTimeout(50);
      await rm(pathOf(one, 3));
      await writeFile(pathOf(one, 3), contentOf('of a member that died before it checked'));
    };
    await using zombie = await openReader(home.path, { paused });
    await zombie.exchange();
    const change = zombie.change('a', '3', 'late').catch(({ code }: LeadershipError) => code);
    // On a busy machine the first check comes after the other member, and finds it.
    expect(['unreachable', false]).toContain(await change);
  });

  it('is not followed, even if two paused members left consecutive versions', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path, limits);
    await one.exchange();
    await writeMany(one, 3);
    // The second has a predecessor, and the first has none: neither is an end of the row.
    for (const number of [999, 1001]) await writeFile(pathOf(one, number), contentOf('late'));
    await using late = await openReader(home.path, limits);
    await late.exchange();
    expect(late.view.get('a')).toBe('3');
    await eventually('they are removed, and the row goes on', () => late.change('a', '3', '4'));
    await one.exchange();
    expect(one.view.get('a')).toBe('4');
  });

  it('blocks no number in a row that was removed and created again meanwhile', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path, limits);
    await one.exchange();
    await writeMany(one, 3);
    const paused = async (): Promise<void> => {
      for (const { file } of await versionsIn(one.layout.rows, 'a'))
        await rm(join(one.layout.rows, file));
      await one.exchange();
      await writeMany(one, 1);
    };
    await using zombie = await openReader(home.path, { paused });
    await zombie.exchange();
    await expect(zombie.change('a', '3', 'late')).rejects.toMatchObject({ code: 'unreachable' });
    await one.exchange();
    expect(one.view.get('a')).toBe('1');
    await eventually('the row goes on', () => one.change('a', '1', '2'));
  });
});

describe('an unreadable version', () => {
  const spoils: Record<string, (path: string) => Promise<void>> = {
    empty: (path) => writeFile(path, ''),
    garbage: (path) => writeFile(path, '{"half": '),
    binary: (path) => writeFile(path, Buffer.from([0xff, 0xfe, 0, 0xc0])),
    oversized: (path) => writeFile(path, 'x'.repeat(1 << 20)),
    'a directory': async (path) => void (await mkdir(path)),
    'a symbolic link': (path) => symlink('/dev/zero', path),
  };
  it.each(Object.keys(spoils))('changes nothing for all readers: %s', async (name) => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await one.exchange();
    await writeMany(one, 3);
    await spoils[name]?.(pathOf(one, 4));
    await one.exchange();
    await using late = await openReader(home.path);
    await late.exchange();
    for (const reader of [one, late]) {
      expect(reader.view.get('a')).toBe('3');
      expect(reader.ignored).toEqual(['unreadable-version']);
    }
    expect(await late.change('a', '3', '5')).toBe(true);
    await one.exchange();
    expect(one.view.get('a')).toBe('5');
    expect(one.ignored).toEqual(['unreadable-version']);
  });

  it('that was torn after it was read takes its row back, and its readers notice at their next change', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await one.exchange();
    await writeMany(one, 3);
    await truncate(pathOf(one, 3));
    expect(await one.change('a', '3', '4')).toBe(false);
    await one.exchange();
    expect(one.view.get('a')).toBe('2');
  });
});

describe('foreign files', () => {
  it('are counted once and otherwise ignored', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await one.exchange();
    const names = ['README', 'a.01', 'a.2~', '.a.3.swp', 'a.-1', 'a.1e3', 'A.1', 'a%2.1', '.1'];
    for (const name of names) await writeFile(join(one.layout.rows, name), 'x');
    await one.exchange();
    expect(one.ignored).toEqual(names.map(() => 'foreign-file'));
    expect(await one.change('a', null, '1')).toBe(true);
    await writeFile(join(one.layout.rows, 'README'), 'y');
    await one.exchange();
    await using late = await openReader(home.path);
    await late.exchange();
    for (const reader of [one, late]) expect(reader.ignored).toHaveLength(names.length);
    expect(late.view).toEqual(one.view);
  });
});

describe('a row that a person has modified', () => {
  it('does not exist if only one version is left: a newer one may have existed', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path, limits);
    await one.exchange();
    await writeMany(one, 3);
    for (const number of [1, 2]) await rm(pathOf(one, number)).catch(() => undefined);
    await using late = await openReader(home.path, limits);
    await late.exchange();
    await one.exchange();
    for (const reader of [one, late]) expect(reader.view.has('a')).toBe(false);
    await eventually('it is created again', () => late.change('a', null, 'new'));
    await one.exchange();
    expect(one.view.get('a')).toBe('new');
  });
});

describe('a store that is deleted while in use', () => {
  it.each(['the rows', 'the group', 'everything'])(
    'is recreated empty, and all members read another history: %s',
    async (what) => {
      await using home = await tempDirectory();
      const directory = join(home.path, 'store');
      await using one = await openReader(directory);
      await using other = await openReader(directory);
      let woken = 0;
      const stop = new AbortController();
      await other.rows.listen?.(() => {
        woken += 1;
      }, stop.signal);
      for (const reader of [one, other]) await reader.exchange();
      await writeMany(one, 5);
      await other.exchange();
      const { layout } = one;
      const path = { 'the rows': layout.rows, 'the group': layout.group }[what] ?? directory;
      await removeAtOnce(path);
      for (const reader of [one, other]) {
        expect(await reader.isRestarted()).toBe(true);
        expect(await reader.isRestarted()).toBe(false);
        expect(reader.view.size).toBe(0);
      }
      woken = 0;
      const change = { name: 'a', expected: null, text: '1', isAwaited: true };
      expect((await one.exchange(change)).outcomes).toEqual([true]);
      await eventually('the watch reports it', () => woken > 0);
      await other.exchange();
      expect(other.view.get('a')).toBe('1');
      stop.abort();
    },
  );
});

it('keeps groups with any names apart', async () => {
  await using home = await tempDirectory();
  const long = (end: string) => `${'x'.repeat(199)}${end}`;
  const groups = [
    '../up',
    'a/b',
    '.',
    '..',
    'A',
    'a',
    '\u00fc',
    'u\u0308',
    '\0',
    'con',
    '~',
    long('1'),
    long('2'),
    '日'.repeat(200),
  ];
  for (const group of groups) {
    await using one = await openReader(home.path, { group });
    await one.exchange();
    expect(await one.change('a', null, '1'), group).toBe(true);
    expect((await one.exchange()).rows, group).toEqual([['a', '1']]);
  }
  expect(await readdir(home.path)).toHaveLength(groups.length);
});
