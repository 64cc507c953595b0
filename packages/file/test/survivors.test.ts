// One test for each defect of a register that no other test detected. The title names the defect.
import { renameSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monotonicClock } from '@leadership/core/adapter';
import { formatRecord } from '@leadership/core/internal/lease';
import { describe, expect, it } from 'vitest';
import { inodeOf } from '../src/disk/directory-life.ts';
import { scratchAt } from '../src/disk/scratch.ts';
import { findRegister } from '../src/register/find-register.ts';
import { makeRegister } from '../src/register/genesis.ts';
import { versionPath } from '../src/register/layout.ts';
import { locate } from '../src/register/locate.ts';
import { prune } from '../src/register/prune.ts';
import { Register } from '../src/register/register.ts';
import { versionAfter } from '../src/register/version.ts';
import { openMember, writeMany } from './support/member.ts';
import { tempDirectory } from './support/temp-directory.ts';
import { lifeIn } from './support/versions.ts';

const place = { group: 'g', partition: 0, thresholdMsMax: 5000 };
const mark = '0123456789ab';
const record = {
  group: 'g',
  partition: 0,
  id: 'a/1',
  after: null,
  height: 0,
  member: 'a',
  incarnation: 'a',
  kind: 'hold',
  token: 1n,
  thresholdMs: 1000,
} as const;

describe('a test detects a register that', () => {
  it('takes any record of the right number for what follows (L1)', () => {
    const before = { number: 1, mark, text: formatRecord(record), record, strange: false };
    const next = (after: string): string =>
      formatRecord({ ...record, id: 'a/2', after, height: 1 });
    expect(versionAfter(place, before, next('a/1'))).toMatchObject({
      strange: false,
      record: { id: 'a/2' },
    });
    expect(versionAfter(place, before, next('b/1'))).toMatchObject({
      strange: true,
      record: { member: 'unreadable' },
    });
  });

  it('starts at a version that does not follow the one before it (L1)', async () => {
    await using home = await tempDirectory();
    const text = formatRecord({ ...record, id: 'a/2', after: 'b/1', height: 1 });
    for (const [number, content] of ['{}', formatRecord(record), text].entries())
      await writeFile(versionPath(home.path, { number, mark }), content);
    expect(await locate(place, home.path, new Map([[mark, [0, 1, 2]]]))).toMatchObject({
      number: 1,
      record: { id: 'a/1' },
    });
  });

  it('keeps fewer versions than the current one needs to be found by', async () => {
    await using home = await tempDirectory();
    await using one = openMember(home.path);
    await one.opened();
    await writeMany(one, 12);
    const life = await lifeIn(one.register);
    await prune(one.register, { number: 12, mark: life.mark });
    const { numbers } = await lifeIn(one.register);
    expect(numbers).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    expect(await locate(place, one.register, new Map([[life.mark, numbers]]))).toMatchObject({
      number: 12,
      strange: false,
    });
  });

  it('takes what it finds in a directory for what was in the one that had its name before', async () => {
    await using home = await tempDirectory();
    const [directory, other] = [join(home.path, '0'), join(home.path, 'other')];
    const scratch = scratchAt(join(home.path, 'scratch'));
    for (const path of [directory, other]) await makeRegister(path, scratch);
    const [, life] = [await lifeIn(directory), await lifeIn(other)];
    let isReplaced = false;
    const entered = (): void => {
      if (isReplaced) return;
      isReplaced = true;
      renameSync(directory, `${directory}.gone`);
      renameSync(other, directory);
    };
    const found = await findRegister(place, directory, {
      make: () => Promise.reject(new Error('it is there')),
      entered,
    });
    expect(found?.version).toMatchObject({ mark: life.mark, inode: await inodeOf(directory) });
  });

  it.each(['mark', 'inode'] as const)('goes on to a version of another %s', async (which) => {
    await using home = await tempDirectory();
    const scratch = scratchAt(join(home.path, 'scratch'));
    const register = new Register(place, join(home.path, '0'), {
      clock: monotonicClock,
      make: (missing) => makeRegister(missing, scratch).then(() => true),
      watches: () => ({
        isOpen: () => true,
        retry: () => undefined,
        renew: () => undefined,
        [Symbol.dispose]: () => undefined,
      }),
      changed: () => undefined,
      recheck: () => undefined,
    });
    await register.open();
    const { reported } = register;
    if (reported === undefined) throw new Error('it was opened');
    register.adopt({ ...reported, number: 5, [which]: 'another' });
    expect(register.reported).toBe(reported);
    register.adopt({ ...reported, number: 5 });
    expect(register.reported?.number).toBe(5);
  });
});
