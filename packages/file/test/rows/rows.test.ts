import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RowChange } from '@leadership/core/adapter';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import type { Watch } from '../../src/disk/watch.ts';
import { layoutOf } from '../../src/layout.ts';
import { togetherPrefix } from '../../src/rows/version-name.ts';
import { openReader } from '../support/reader.ts';
import { putRow, versionsIn } from '../support/rows-store.ts';
import { type TempDirectory, tempDirectory } from '../support/temp-directory.ts';

const rowsIn = (home: TempDirectory): string => layoutOf(home.path, 'g').rows;

const hold = (token: number): string =>
  JSON.stringify({ kind: 'hold', life: 'l', version: token, session: 's', token: String(token) });

describe('rows of files', () => {
  it('keep the newest two versions, and older ones only for a while', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path, { thresholdMs: 2000, thresholdMsMax: 2000 });
    await one.exchange();
    for (let index = 0; index < 9; index += 1)
      await one.change('session#a', index === 0 ? null : `${index - 1}`, `${index}`);
    expect((await versionsIn(rowsIn(home), 'session#a')).map(({ number }) => number)).toContain(7);
    await eventually('older versions are removed', async () => {
      await one.exchange();
      return (await versionsIn(rowsIn(home), 'session#a')).length === 2;
    });
    const left = await versionsIn(rowsIn(home), 'session#a');
    expect(left.map(({ number }) => number)).toEqual([8, 9]);
    await one.change('session#a', '8', null);
    await eventually('a removed row leaves no file', async () => {
      await one.exchange();
      return (await versionsIn(rowsIn(home), 'session#a')).length === 0;
    });
  });

  it('ignore a version without its predecessor, which a paused member has linked late', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await one.exchange();
    await one.change('a', null, '1');
    await writeFile(join(rowsIn(home), 'a.3'), 'late\n');
    expect((await one.exchange()).rows).toEqual([['a', '1']]);
    // Another change would give the late one its predecessor.
    expect(await one.change('a', '1', '2')).toBe(false);
    await rm(join(rowsIn(home), 'a.3'));
    expect(await one.change('a', '1', '2')).toBe(true);
  });

  it('show the text before a version that was not written completely, and count it', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await one.exchange();
    await one.change('a', null, '1');
    await writeFile(join(rowsIn(home), 'a.2'), '');
    await writeFile(join(rowsIn(home), 'README'), 'not a version');
    await using two = await openReader(home.path);
    expect((await two.exchange()).rows).toEqual([['a', '1']]);
    expect(two.ignored.sort()).toEqual(['foreign-file', 'unreadable-version']);
    expect(await two.change('a', '1', '2')).toBe(true);
    expect((await one.exchange()).rows).toEqual([['a', '2']]);
  });

  it('keep a text that the power took, until a version after it lasts', async () => {
    await using home = await tempDirectory();
    const names = ['partition#0', 'partition#1'];
    const changes = (token: number): readonly RowChange[] =>
      ['session#s', ...names].map((name) => {
        return { name, expected: token === 1 ? null : hold(token - 1), text: hold(token) };
      });
    await using one = await openReader(home.path);
    await one.exchange();
    await one.exchange(...changes(1));
    for (const name of names)
      for (const { file } of await versionsIn(rowsIn(home), name))
        await writeFile(join(rowsIn(home), file), '');
    // It removes at once what is not needed.
    await using two = await openReader(home.path, { thresholdMs: 3000, thresholdMsMax: 2 });
    const together = async (): Promise<number> =>
      (await readdir(rowsIn(home))).filter((name) => name.startsWith(togetherPrefix)).length;
    for (let times = 0; times < 5; times += 1) {
      await two.exchange();
      await pause(20);
    }
    expect(names.map((name) => two.view.get(name))).toEqual([hold(1), hold(1)]);
    expect(await together()).toBe(1);
    for (const token of [2, 3, 4])
      expect((await two.exchange(...changes(token))).outcomes).toEqual([true, true, true]);
    await eventually('nothing is left beside the versions', async () => {
      await two.exchange();
      return (await together()) === 0;
    });
    await using three = await openReader(home.path);
    await three.exchange();
    expect(names.map((name) => three.view.get(name))).toEqual([hold(4), hold(4)]);
  });

  it('read a text again that a person has changed in its file', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await one.exchange();
    await one.change('a', null, '1');
    await one.exchange();
    let woken = 0;
    const stop = new AbortController();
    await one.rows.listen?.(() => {
      woken += 1;
    }, stop.signal);
    const [file = ''] = (await readdir(rowsIn(home))).filter((name) => name.startsWith('a.'));
    await writeFile(join(rowsIn(home), file), '2\n');
    await eventually('the member is woken', () => woken > 0);
    expect((await one.exchange()).rows).toEqual([['a', '2']]);
    stop.abort();
  });

  it('refuse a change if the file was changed and no watch has reported it', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await one.exchange();
    await one.change('a', null, '1');
    await writeFile(join(rowsIn(home), 'a.1'), '2\n');
    expect(await one.change('a', '1', '3')).toBe(false);
    expect((await one.exchange()).rows).toEqual([['a', '2']]);
  });

  it('doubt a store at first if nobody has changed it for the longest lease (M6)', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    expect((await one.exchange()).isRestarted ?? false).toBe(false);
    await one.change('partition#0', null, hold(1));
    await one.change('member#a', null, 'note');
    await using young = await openReader(home.path);
    expect((await young.exchange()).isRestarted ?? false).toBe(false);
    const before = new Date(Date.now() - 60_000);
    await utimes(join(rowsIn(home), 'partition%230.1'), before, before);
    await using two = await openReader(home.path);
    const answer = await two.exchange({ name: 'a', expected: null, text: '1' });
    expect(answer).toMatchObject({ isRestarted: true, outcomes: [false] });
    // Once: the store is the same since.
    expect((await two.exchange()).isRestarted ?? false).toBe(false);
  });

  it('doubt a store at first if another member did, although that one has changed it since (M6)', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await one.exchange();
    await one.change('partition#0', null, hold(1));
    const before = new Date(Date.now() - 60_000);
    await utimes(join(rowsIn(home), 'partition%230.1'), before, before);
    await using two = await openReader(home.path);
    expect(await two.isRestarted()).toBe(true);
    await two.change('session#two', null, '1');
    await using three = await openReader(home.path);
    expect(await three.isRestarted()).toBe(true);
    // Only for as long as a leader of a store that was replaced may believe that it leads.
    await utimes(join(rowsIn(home), 'doubted'), before, before);
    await using four = await openReader(home.path);
    expect(await four.isRestarted()).toBe(false);
    expect(four.ignored).toEqual([]);
  });

  it('make a change although the watch reports late that the version before was written', async () => {
    await using home = await tempDirectory();
    let report: Parameters<Watch>[1] = () => undefined;
    let written = '';
    await using one = await openReader(home.path, {
      watch(_, notified) {
        report = notified;
        return { [Symbol.dispose]: () => undefined };
      },
      // Between the reading of an exchange and its change.
      paused: () => Promise.resolve(report(written, 'rename')),
    });
    const stop = new AbortController();
    await one.rows.listen?.(() => undefined, stop.signal);
    await one.exchange();
    expect(await one.change('session#a', null, '1')).toBe(true);
    [written = ''] = (await readdir(rowsIn(home))).filter((name) => name.startsWith('session'));
    expect(await one.change('session#a', '1', '2')).toBe(true);
    // A change by hand that it reports is read before the next change.
    await writeFile(join(rowsIn(home), written.replace(/1$/, '2')), '3\n');
    report(written.replace(/1$/, '2'), 'change');
    expect(await one.change('session#a', '2', '4')).toBe(false);
    expect((await one.exchange()).rows).toEqual([['session#a', '3']]);
    stop.abort();
  });

  it('show a renewal to a member that listens, and ask for no reading', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await using two = await openReader(home.path);
    await one.exchange();
    await two.exchange();
    const shown: unknown[] = [];
    const stop = new AbortController();
    await two.rows.listen?.((rows) => shown.push(rows), stop.signal);
    await one.change('session#a', null, '1');
    await eventually('the renewal is shown', () => shown.length > 0);
    expect(shown).toEqual([[['session#a', '1']]]);
    stop.abort();
  });

  it('show a release to a member that listens, and the claim after it to its own member at once', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await using two = await openReader(home.path);
    await one.exchange();
    await one.change('partition#0', null, hold(1));
    await two.exchange();
    const shown: unknown[] = [];
    const stop = new AbortController();
    await two.rows.listen?.((rows) => void (rows && shown.push(...rows)), stop.signal);
    const released = hold(2);
    await one.exchange({ name: 'partition#0', expected: hold(1), text: released, isAwaited: true });
    await eventually('the release is shown', () => shown.length > 0);
    expect(shown).toEqual([['partition#0', released]]);
    const claim = { name: 'partition#0', expected: released, text: hold(3), isAnnounced: true };
    const answer = await two.exchange(claim);
    expect([answer.outcomes, answer.rows]).toEqual([[true], [['partition#0', hold(3)]]]);
    stop.abort();
  });

  it('show no version that this member knows or that is older, though the watch reports it', async () => {
    await using home = await tempDirectory();
    let report: Parameters<Watch>[1] = () => undefined;
    await using one = await openReader(home.path, {
      watch(_, notified) {
        report = notified;
        return { [Symbol.dispose]: () => undefined };
      },
    });
    const shown: unknown[] = [];
    const stop = new AbortController();
    await one.rows.listen?.((rows) => void (rows && shown.push(...rows)), stop.signal);
    await one.exchange();
    for (const number of [1, 2, 3])
      await one.change('session#a', number === 1 ? null : `${number - 1}`, `${number}`);
    const files = (await readdir(rowsIn(home))).filter((name) => name.startsWith('session')).sort();
    for (const file of files) report(file, 'rename');
    // A member that was paused has linked a number again that was removed.
    await rm(join(rowsIn(home), files[0] ?? ''));
    await one.exchange();
    await writeFile(join(rowsIn(home), files[0] ?? ''), 'late\n');
    report(files[0] ?? '', 'rename');
    await writeFile(join(rowsIn(home), files[2]?.replace(/3$/, '4') ?? ''), '4\n');
    report(files[2]?.replace(/3$/, '4') ?? '', 'rename');
    await eventually('the new version is shown', () => shown.length > 0);
    expect(shown).toEqual([['session#a', '4']]);
    stop.abort();
  });

  it('believe at once that a person has removed a row, and let another member create it', async () => {
    await using home = await tempDirectory();
    await using one = await openReader(home.path);
    await using two = await openReader(home.path);
    await one.exchange();
    await one.change('a', null, '1');
    await one.change('a', '1', '2');
    await two.exchange();
    await putRow(rowsIn(home), 'a', null);
    expect((await two.exchange()).rows).toEqual([['a', null]]);
    expect(await one.change('a', '2', '3')).toBe(false);
    expect(await two.change('a', null, '4')).toBe(true);
    expect((await one.exchange()).rows).toEqual([['a', '4']]);
  });
});
