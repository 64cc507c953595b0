import { readdir, readFile } from 'node:fs/promises';
import { formatRecord } from '@leadership/core/internal/lease';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { openMember, writeMany } from './support/member.ts';
import { tempDirectory } from './support/temp-directory.ts';
import { lifeIn, versionFile } from './support/versions.ts';

describe('a directory as a register', () => {
  it('starts with a genesis and no record in effect', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    expect(one.events).toEqual([{ kind: 'end', partitions: [0] }]);
    expect((await lifeIn(one.register)).numbers).toEqual([0]);
  });

  it('keeps the record of height N in file N + 1, readable with any pager', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    expect(await one.writeNext()).toBe('in-effect');
    expect(await one.writeNext({ kind: 'release' })).toBe('in-effect');
    const record = one.current();
    expect(record?.height).toBe(1);
    expect(await readFile(await versionFile(one.register, 2), 'utf8')).toBe(
      record && formatRecord(record),
    );
  });

  it('notifies the other members by the watch, not the poll', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await using other = openMember(home.path);
    await Promise.all([one.opened(), other.opened()]);
    await writeMany(one, 3);
    await eventually(
      'the other member reads the third version',
      () => other.current()?.height === 2,
    );
    expect(other.current()).toEqual(one.current());
  });

  it('reaches the other members by polling if a notification was lost', async () => {
    await using home = await tempDirectory();
    const deaf = () => ({ [Symbol.dispose]: () => undefined });
    await using one = openMember(home.path);
    await using other = openMember(home.path, { pollMs: 10, watch: deaf });
    await Promise.all([one.opened(), other.opened()]);
    await writeMany(one, 3);
    await eventually(
      'the other member reads the third version',
      () => other.current()?.height === 2,
    );
  });

  it('L1: refuses a record that does not name the current one, or whose height is taken', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await using other = openMember(home.path, {
      watch: () => ({ [Symbol.dispose]: () => undefined }),
    });
    await Promise.all([one.opened(), other.opened()]);
    await one.writeNext();
    expect(await one.writeNext({ after: 'someone/else/1' })).toBe('refused');
    expect(await other.writeNext()).toBe('refused');
    await eventually(
      'the losing member reads the winning record',
      () => other.current()?.id === one.current()?.id,
    );
  });

  it('keeps at least the last eight versions, and prunes in ascending order', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 50);
    const numbers = await eventually('old versions are pruned', async () => {
      const listed = (await lifeIn(one.register)).numbers;
      return listed[0] === 41 && listed;
    });
    expect(numbers).toEqual([41, 42, 43, 44, 45, 46, 47, 48, 49, 50]);
    expect(await readdir(one.store.layout.scratch)).toEqual([]);
  });

  it('L10: a member that starts late or is far behind reads the current version', async () => {
    await using home = await tempDirectory();
    const deaf = () => ({ [Symbol.dispose]: () => undefined });
    await using one = openMember(home.path);
    await using behind = openMember(home.path, { pollMs: 200, watch: deaf });
    await Promise.all([one.opened(), behind.opened()]);
    await writeMany(one, 50);
    await using late = openMember(home.path);
    await late.opened();
    expect(late.current()).toEqual(one.current());
    await eventually(
      'the member that was behind catches up',
      () => behind.current()?.id === one.current()?.id,
    );
    expect(behind.events.some(({ kind }) => kind === 'restarted')).toBe(false);
  });

  it('folds records of other releases with unknown fields (L1)', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await using other = openMember(home.path);
    await Promise.all([one.opened(), other.opened()]);
    const future = { kind: 'hold-2', version: 9, more: { nested: true } };
    expect(await one.writeNext(future)).toBe('in-effect');
    await eventually('the other member reads the record', () => other.current()?.kind === 'hold-2');
    expect(await other.writeNext()).toBe('in-effect');
  });

  it('reads a register again from its start on request (L12)', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 2);
    one.ledger.reread(0);
    await eventually(
      'the register is read to its end again',
      () => one.events.filter(({ kind }) => kind === 'end').length === 2,
    );
    expect(one.events.map(({ kind }) => kind).slice(-3)).toEqual(['restarted', 'record', 'end']);
  });

  it('exactly one of many concurrent writers of one height wins, each time', async () => {
    await using home = await tempDirectory();
    const members = Array.from({ length: 8 }, (_, index) =>
      openMember(home.path, { member: `m${index}` }),
    );
    await Promise.all(members.map((member) => member.opened()));
    for (let height = 0; height < 30; height += 1) {
      const outcomes = await Promise.all(members.map((member) => member.writeNext()));
      expect(outcomes.filter((outcome) => outcome === 'in-effect')).toHaveLength(1);
      await eventually(`all members read height ${height}`, () =>
        members.every((member) => member.current()?.height === height),
      );
      expect(new Set(members.map((member) => member.current()?.id)).size).toBe(1);
    }
    await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
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
      await using one = openMember(home.path, { group });
      await one.opened();
      expect(await one.writeNext(), group).toBe('in-effect');
      expect(one.current()?.height, group).toBe(0);
    }
    expect(await readdir(home.path)).toHaveLength(groups.length);
  });
});
