import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { formatRecord } from '@leadership/core/internal/lease';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import type { Notified, Watch } from '../src/disk/watch.ts';
import { type Member, openMember, writeMany } from './support/member.ts';
import { removeAtOnce, tempDirectory } from './support/temp-directory.ts';
import { lifeIn, versionFile } from './support/versions.ts';

const deaf = () => ({ [Symbol.dispose]: () => undefined });
const kinds = (member: Member) => member.events.map(({ kind }) => kind);
const ignored = (member: Member) =>
  member.events.flatMap((item) => (item.kind === 'ignored' ? [item.what] : []));

describe('a paused member', () => {
  it.each([0, 3])(
    'notices that it linked a number that was pruned long ago, and removes the link: after %i versions',
    async (versions) => {
      await using home = await tempDirectory();
      await using one = openMember(home.path);
      await one.opened();
      await writeMany(one, versions);
      const paused = async (): Promise<void> => {
        const pruned = await versionFile(one.register, versions + 1);
        await writeMany(one, 50);
        // Pruning continues in the background.
        await eventually('the number is pruned', () => !existsSync(pruned));
      };
      await using zombie = openMember(home.path, { watch: deaf, paused });
      await zombie.opened();
      expect(await zombie.writeNext()).toBe('refused');
      expect(existsSync(await versionFile(one.register, versions + 1))).toBe(false);
      await eventually(
        'the paused member reads the current record',
        () => zombie.current()?.id === one.current()?.id,
      );
    },
  );

  it('does not accept the litter of another paused member as its predecessor', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    const resurrect = async (): Promise<void> => {
      await writeMany(one, 50);
      await writeFile(
        await versionFile(one.register, 3),
        'litter of a paused member that died before it checked',
      );
    };
    await using zombie = openMember(home.path, { watch: deaf, paused: resurrect });
    await zombie.opened();
    expect(await zombie.writeNext()).toBe('refused');
  });

  it('does not read litter as current while it is far behind', async () => {
    await using home = await tempDirectory();
    const reported: Notified[] = [];
    const byHand: Watch = (_directory, received) => {
      reported.push(received);
      return { [Symbol.dispose]: () => undefined };
    };
    await using one = openMember(home.path);
    await using behind = openMember(home.path, { watch: byHand });
    await Promise.all([one.opened(), behind.opened()]);
    await writeMany(one, 50);
    const litter = await versionFile(one.register, 1);
    await eventually('the number is pruned', () => !existsSync(litter));
    await writeFile(litter, formatRecord(foreign(one)));
    reported[0]?.(basename(litter), 'rename');
    await eventually(
      'the member reads the current record',
      () => behind.current()?.id === one.current()?.id,
    );
    expect(behind.events.filter(({ kind }) => kind === 'record')).toHaveLength(1);
  });

  it('keeps its link after a damaged version, because the link counts as a stranger for the others', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    const paused = async (): Promise<void> => truncate(await versionFile(one.register, 3));
    await using zombie = openMember(home.path, { watch: deaf, paused });
    await zombie.opened();
    expect(await zombie.writeNext()).toBe('refused');
    expect((await lifeIn(one.register)).numbers).toEqual([0, 1, 2, 3, 4]);
    await eventually('the version counts as a stranger', async () => {
      await one.writeNext();
      return one.current()?.height === 4;
    });
    await using late = openMember(home.path);
    await late.opened();
    expect(late.current()).toEqual(one.current());
  });

  it('leaves no version in a register that was recreated meanwhile, and blocks no number there', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    const again = async (): Promise<void> => {
      await removeAtOnce(one.register);
      await eventually('the register is recreated', () => existsSync(one.register));
    };
    await using zombie = openMember(home.path, { watch: deaf, paused: again });
    await zombie.opened();
    expect(await zombie.writeNext()).toBe('refused');
    await eventually(
      'the other member reads the restart',
      () => kinds(one).includes('restarted') && one.current() === undefined,
    );
    expect((await lifeIn(one.register)).numbers).toEqual([0]);
    await writeMany(one, 6);
    expect((await lifeIn(one.register)).numbers).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('is not followed, even if two paused members left consecutive litter', async () => {
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
    await eventually(
      'the late member reads the record',
      () => late.current()?.id === one.current()?.id,
    );
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
    'the record of another partition': async (path) =>
      copyFile(await versionFile(dirname(path).replace(/0$/, '1'), 1), path),
  };
  it.each(Object.keys(spoils))(
    'counts as the same hold by a stranger for all readers: %s',
    async (name) => {
      await using home = await tempDirectory();
      await using one = openMember(home.path, { partitions: [0, 1] });
      await one.opened();
      await one.ledger.write({ ...foreign(one), partition: 1 }, new AbortController().signal);
      await writeMany(one, 2);
      await one.writeNext({ token: 77n });
      await spoils[name]?.(await versionFile(one.register, 4));
      await eventually(
        'the reader reads the version',
        () => one.current()?.member === 'unreadable',
      );
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
      await eventually(
        'the other member reads the new record',
        () => one.current()?.id === late.current()?.id,
      );
      await using later = openMember(home.path);
      await later.opened();
      expect(later.current()).toEqual(late.current());
    },
  );

  it('includes a record that does not replace the version before it', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    const text = formatRecord({ ...foreign(one), id: 'x/3', after: 'x/2', height: 3 });
    await appear(await versionFile(one.register, 4), text, home.path);
    const { mark } = await lifeIn(one.register);
    await eventually(
      'the reader reads a stranger',
      () => one.current()?.id === `unreadable/4.${mark}`,
    );
    await using late = openMember(home.path);
    await late.opened();
    expect(late.current()?.height).toBe(2);
    expect(await late.writeNext()).toBe('refused');
    await eventually(
      'the refused member reads the stranger',
      () => late.current()?.id === one.current()?.id,
    );
    expect(late.current()).toEqual(one.current());
    expect(await one.writeNext()).toBe('in-effect');
    await eventually(
      'the refused member reads the new record',
      () => late.current()?.id === one.current()?.id,
    );
  });

  it('that was torn after it was read is a stranger for later members, and its readers notice at their next write', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    await truncate(await versionFile(one.register, 3));
    expect(await one.writeNext()).toBe('refused');
    await eventually('the register restarts', () => one.current()?.member === 'unreadable');
    expect(kinds(one)).toContain('restarted');
  });
});

describe('foreign files', () => {
  it('are counted once and otherwise ignored', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    for (const name of ['README', '01.json', '2.json~', '.3.json.swp', '-1.json', '1e3.json'])
      await writeFile(`${one.register}/${name}`, 'x');
    await eventually('the foreign files are counted', () => ignored(one).length === 6);
    expect(await one.writeNext()).toBe('in-effect');
    await writeFile(`${one.register}/README`, 'y');
    await using late = openMember(home.path);
    await late.opened();
    expect(ignored(late)).toHaveLength(6);
    expect(ignored(one)).toHaveLength(6);
    expect(late.current()).toEqual(one.current());
  });
});

describe('a register that an operator modified', () => {
  it('counts as a stranger’s if only one version is left: a newer one may have existed, whose holder may still lead', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    await one.writeNext({ kind: 'release', token: 77n });
    for (const number of [0, 1, 2, 3]) await rm(await versionFile(one.register, number));
    await using late = openMember(home.path);
    await late.opened();
    expect(late.current()).toMatchObject({
      member: 'unreadable',
      kind: 'hold',
      height: 3,
      token: 77n,
      thresholdMs: 5000,
    });
    expect(await late.writeNext()).toBe('in-effect');
    await using later = openMember(home.path);
    await later.opened();
    expect(later.current()).toEqual(late.current());
  });

  it('is unreadable if two registers were copied into one, because no reader could decide between them', async () => {
    await using home = await tempDirectory();
    await using elsewhere = await tempDirectory();
    await using one = openMember(home.path);
    await using other = openMember(elsewhere.path);
    await Promise.all([one.opened(), other.opened()]);
    await Promise.all([writeMany(one, 3), writeMany(other, 2)]);
    await cp(other.register, one.register, { recursive: true });
    await using late = openMember(home.path, { partitions: [0, 1] });
    await late.opened();
    expect(late.events).toContainEqual({
      kind: 'unreadable',
      partition: 0,
      error: expect.objectContaining({
        code: 'misconfigured-backend',
        message: expect.stringContaining('two registers'),
      }),
    });
  });
});

describe('a store that is deleted while in use', () => {
  it.each(['the register', 'the group', 'everything'])(
    'is recreated empty, and all members read that it restarted: %s',
    async (what) => {
      await using home = await tempDirectory();
      await using one = openMember(`${home.path}/store`);
      await using other = openMember(`${home.path}/store`);
      await Promise.all([one.opened(), other.opened()]);
      await writeMany(one, 20);
      const path =
        {
          'the register': one.register,
          'the group': one.store.layout.group,
          everything: `${home.path}/store`,
        }[what] ?? '';
      await removeAtOnce(path);
      for (const member of [one, other]) {
        await eventually(
          'the register restarts',
          () => kinds(member).at(-1) === 'end' && kinds(member).includes('restarted'),
        );
        expect(kinds(member).slice(-2)).toEqual(['restarted', 'end']);
      }
      expect(await one.writeNext()).toBe('in-effect');
      await eventually(
        'the watch reports the record',
        () => other.current()?.id === one.current()?.id,
      );
    },
  );

  it('is also noticed by polling', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path, { watch: deaf, pollMs: 10 });
    await one.opened();
    await writeMany(one, 3);
    await removeAtOnce(one.register);
    await eventually('the register restarts', () => kinds(one).includes('restarted'));
  });

  it('and replaced by an older copy restarts', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 3);
    await rename(one.register, `${home.path}/aside`);
    await rm(await versionFile(`${home.path}/aside`, 3));
    // Members may recreate it meanwhile, several times. Each recreation is a restart as well.
    await eventually('the copy is in its place', () =>
      rename(`${home.path}/aside`, one.register).then(
        () => true,
        () => removeAtOnce(one.register).then(() => false),
      ),
    );
    await eventually('the member reads the copy', () => one.current()?.height === 1);
    expect(kinds(one).slice(kinds(one).lastIndexOf('restarted'))).toEqual([
      'restarted',
      'record',
      'end',
    ]);
  });
});

/**
 * Puts a file in place atomically, as a member does. A reader would take a partial file for a
 * stranger's hold.
 */
async function appear(path: string, text: string, aside: string): Promise<void> {
  await writeFile(`${aside}/aside.json`, text);
  await rename(`${aside}/aside.json`, path);
}

function foreign(member: Member) {
  const { incarnation } = member.host;
  const place = { group: 'g', partition: 0, id: 'x/1', after: null, height: 0 };
  return { ...place, member: 'x', incarnation, kind: 'hold', token: 1n, thresholdMs: 10 } as const;
}
