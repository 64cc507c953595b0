import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { formatRecord } from '@leadership/core/ledger';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import type { Heard, Watch } from '../src/watch.ts';
import { type Member, openMember, writeMany } from './support/member.ts';
import { removeAtOnce, tempDirectory } from './support/temp-directory.ts';
import { lifeIn, versionFile } from './support/versions.ts';

const deaf = () => ({ [Symbol.dispose]: () => undefined });
const kinds = (member: Member) => member.news.map(({ kind }) => kind);
const ignored = (member: Member) => member.news.flatMap((item) => (item.kind === 'ignored' ? [item.what] : []));

describe('a member that was paused', () => {
  it.each([0, 3])('finds out that it linked a number that was pruned long ago, and removes it: after %i versions', async (versions) => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, versions);
    const paused = async (): Promise<void> => {
      const pruned = await versionFile(one.register, versions + 1);
      await writeMany(one, 50);
      // Pruning goes on behind the writes.
      await eventually('the number is pruned', () => !existsSync(pruned));
    };
    await using zombie = openMember(home.path, { watch: deaf, paused });
    await zombie.opened();
    expect(await zombie.writeNext()).toBe('refused');
    expect(existsSync(await versionFile(one.register, versions + 1))).toBe(false);
    await eventually('it reads what is current', () => zombie.current()?.id === one.current()?.id);
  });

  it('does not take another zombie for its predecessor', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    const resurrect = async (): Promise<void> => {
      await writeMany(one, 50);
      await writeFile(await versionFile(one.register, 3), 'the litter of a zombie that died before it looked');
    };
    await using zombie = openMember(home.path, { watch: deaf, paused: resurrect });
    await zombie.opened();
    expect(await zombie.writeNext()).toBe('refused');
  });

  it('reads no litter as current while it is far behind', async () => {
    await using home = await tempDirectory();
    const told: Heard[] = [];
    const byHand: Watch = (_directory, heard) => {
      told.push(heard);
      return { [Symbol.dispose]: () => undefined };
    };
    await using one = openMember(home.path);
    await using behind = openMember(home.path, { watch: byHand });
    await Promise.all([one.opened(), behind.opened()]);
    await writeMany(one, 50);
    const litter = await versionFile(one.register, 1);
    await eventually('the number is pruned', () => !existsSync(litter));
    await writeFile(litter, formatRecord(foreign(one)));
    told[0]?.(basename(litter), 'rename');
    await eventually('it reads what is current', () => behind.current()?.id === one.current()?.id);
    expect(behind.news.filter(({ kind }) => kind === 'record')).toHaveLength(1);
  });

  it('leaves what it linked after a version that was damaged meanwhile: for all others it is a stranger', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    const paused = async (): Promise<void> => truncate(await versionFile(one.register, 3));
    await using zombie = openMember(home.path, { watch: deaf, paused });
    await zombie.opened();
    expect(await zombie.writeNext()).toBe('refused');
    expect((await lifeIn(one.register)).numbers).toEqual([0, 1, 2, 3, 4]);
    await eventually('it counts as a stranger', async () => {
      await one.writeNext();
      return one.current()?.height === 4;
    });
    await using late = openMember(home.path);
    await late.opened();
    expect(late.current()).toEqual(one.current());
  });

  it('leaves nothing in a register that was made anew meanwhile, and takes no number there', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    const anew = async (): Promise<void> => {
      await removeAtOnce(one.register);
      await eventually('the register is made anew', () => existsSync(one.register));
    };
    await using zombie = openMember(home.path, { watch: deaf, paused: anew });
    await zombie.opened();
    expect(await zombie.writeNext()).toBe('refused');
    await eventually('the other knows that it restarted', () => kinds(one).includes('restarted') && one.current() === undefined);
    expect((await lifeIn(one.register)).numbers).toEqual([0]);
    await writeMany(one, 6);
    expect((await lifeIn(one.register)).numbers).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('is followed by nobody, even where two of them left litter side by side', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    for (const height of [999, 1000]) {
      const text = formatRecord({ ...foreign(one), id: `x/${height}`, after: 'long/gone', height });
      await appear(await versionFile(one.register, height + 1), text, home.path);
    }
    await using late = openMember(home.path);
    await late.opened();
    expect(late.current()?.height).toBe(2);
    expect(await one.writeNext()).toBe('in-effect');
    expect(one.current()?.height).toBe(3);
    await eventually('the late one follows', () => late.current()?.id === one.current()?.id);
  });
});

describe('an unreadable version', () => {
  const spoils: Record<string, (path: string) => Promise<void>> = {
    empty: (path) => writeFile(path, ''),
    garbage: (path) => writeFile(path, '{"half": '),
    binary: (path) => writeFile(path, Buffer.from([0xff, 0xfe, 0, 0xc0])),
    oversized: (path) => writeFile(path, JSON.stringify({ group: 'x'.repeat(1 << 20) })),
    'a directory': async (path) => void (await mkdir(path)),
    'a symbolic link': (path) => symlink('/dev/zero', path),
    'the record of another partition': async (path) => copyFile(await versionFile(dirname(path).replace(/0$/, '1'), 1), path),
  };
  it.each(Object.keys(spoils))('counts as the hold of a stranger, the same for every reader: %s', async (name) => {
    await using home = await tempDirectory();
    await using one = openMember(home.path, { partitions: [0, 1] });
    await one.opened();
    await one.ledger.write({ ...foreign(one), partition: 1 }, new AbortController().signal);
    await writeMany(one, 2);
    await one.writeNext({ token: 77n });
    await spoils[name]?.(await versionFile(one.register, 4));
    await eventually('who follows reads it', () => one.current()?.member === 'unreadable');
    await using late = openMember(home.path);
    await late.opened();
    expect(late.current()).toEqual(one.current());
    expect(one.current()).toMatchObject({
      id: `unreadable/4.${(await lifeIn(one.register)).mark}`,
      height: 3,
      kind: 'hold',
      token: 77n,
      thresholdMs: 5000,
      group: 'g',
      partition: 0,
    });
    expect(ignored(one)).toEqual(['unreadable-version']);
    expect(await late.writeNext()).toBe('in-effect');
    await eventually('the other moves on', () => one.current()?.id === late.current()?.id);
    await using later = openMember(home.path);
    await later.opened();
    expect(later.current()).toEqual(late.current());
  });

  it('is also a record that replaces another one than the version before it', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    const text = formatRecord({ ...foreign(one), id: 'x/3', after: 'x/2', height: 3 });
    await appear(await versionFile(one.register, 4), text, home.path);
    const { mark } = await lifeIn(one.register);
    await eventually('who follows reads a stranger', () => one.current()?.id === `unreadable/4.${mark}`);
    await using late = openMember(home.path);
    await late.opened();
    expect(late.current()?.height).toBe(2);
    expect(await late.writeNext()).toBe('refused');
    await eventually('so does who was refused', () => late.current()?.id === one.current()?.id);
    expect(late.current()).toEqual(one.current());
    expect(await one.writeNext()).toBe('in-effect');
    await eventually('who was refused follows', () => late.current()?.id === one.current()?.id);
  });

  it('that was torn after it was read is a stranger to who starts later, and whoever read it finds out when it writes', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    await truncate(await versionFile(one.register, 3));
    expect(await one.writeNext()).toBe('refused');
    await eventually('it restarts', () => one.current()?.member === 'unreadable');
    expect(kinds(one)).toContain('restarted');
  });
});

describe('files that are none of ours', () => {
  it('are counted once, and change nothing', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    for (const name of ['README', '01.json', '2.json~', '.3.json.swp', '-1.json', '1e3.json'])
      await writeFile(`${one.register}/${name}`, 'x');
    await eventually('they are counted', () => ignored(one).length === 6);
    expect(await one.writeNext()).toBe('in-effect');
    await writeFile(`${one.register}/README`, 'y');
    await using late = openMember(home.path);
    await late.opened();
    expect(ignored(late)).toHaveLength(6);
    expect(ignored(one)).toHaveLength(6);
    expect(late.current()).toEqual(one.current());
  });
});

describe('a register that somebody laid hands on', () => {
  it('counts as a stranger’s where only one version was left: there may have been a newer one, whose holder believes still', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    await one.writeNext({ kind: 'release', token: 77n });
    for (const number of [0, 1, 2, 3]) await rm(await versionFile(one.register, number));
    await using late = openMember(home.path);
    await late.opened();
    expect(late.current()).toMatchObject({ member: 'unreadable', kind: 'hold', height: 3, token: 77n, thresholdMs: 5000 });
    expect(await late.writeNext()).toBe('in-effect');
    await using later = openMember(home.path);
    await later.opened();
    expect(later.current()).toEqual(late.current());
  });

  it('is none where two were copied into one: nobody could tell which of them goes on', async () => {
    await using home = await tempDirectory();
    await using elsewhere = await tempDirectory();
    await using one = openMember(home.path);
    await using other = openMember(elsewhere.path);
    await Promise.all([one.opened(), other.opened()]);
    await Promise.all([writeMany(one, 3), writeMany(other, 2)]);
    await cp(other.register, one.register, { recursive: true });
    await using late = openMember(home.path, { partitions: [0, 1] });
    await late.opened();
    expect(late.news).toContainEqual({
      kind: 'unreadable',
      partition: 0,
      error: expect.objectContaining({ code: 'misconfigured-backend', message: expect.stringContaining('two registers') }),
    });
  });
});

describe('a store that is deleted under way', () => {
  it.each(['the register', 'the group', 'everything'])('is made anew, empty, and everyone is told that it restarted: %s', async (what) => {
    await using home = await tempDirectory();
    await using one = openMember(`${home.path}/store`);
    await using other = openMember(`${home.path}/store`);
    await Promise.all([one.opened(), other.opened()]);
    await writeMany(one, 20);
    const path = { 'the register': one.register, 'the group': one.store.layout.group, everything: `${home.path}/store` }[what] ?? '';
    await removeAtOnce(path);
    for (const member of [one, other]) {
      await eventually('it restarts', () => kinds(member).at(-1) === 'end' && kinds(member).includes('restarted'));
      expect(kinds(member).slice(-2)).toEqual(['restarted', 'end']);
    }
    expect(await one.writeNext()).toBe('in-effect');
    await eventually('the watch works again', () => other.current()?.id === one.current()?.id);
  });

  it('is noticed by polling too', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path, { watch: deaf, pollMs: 10 });
    await one.opened();
    await writeMany(one, 3);
    await removeAtOnce(one.register);
    await eventually('it restarts', () => kinds(one).includes('restarted'));
  });

  it('and replaced by an older copy is told as a restart, not as news', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    await rename(one.register, `${home.path}/aside`);
    await rm(await versionFile(`${home.path}/aside`, 3));
    // It may be made anew meanwhile, any number of times: that is a restart too, and then there are several.
    await eventually('the copy is in its place', () =>
      rename(`${home.path}/aside`, one.register).then(
        () => true,
        () => removeAtOnce(one.register).then(() => false),
      ),
    );
    await eventually('it reads the copy', () => one.current()?.height === 1);
    expect(kinds(one).slice(kinds(one).lastIndexOf('restarted'))).toEqual(['restarted', 'record', 'end']);
  });
});

/** Puts a file in place all at once, as a member does: half of one would be a stranger's hold to whoever reads it just then. */
async function appear(path: string, text: string, aside: string): Promise<void> {
  await writeFile(`${aside}/aside.json`, text);
  await rename(`${aside}/aside.json`, path);
}

function foreign(member: Member) {
  const { incarnation } = member.host;
  const place = { group: 'g', partition: 0, id: 'x/1', after: null, height: 0 };
  return { ...place, member: 'x', incarnation, kind: 'hold', token: 1n, thresholdMs: 10 } as const;
}
