import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { systemWatch, type Watch } from '../../src/disk/watch.ts';
import { openMember, writeMany } from '../support/member.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const limit = () =>
  Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), {
    code: 'ENOSPC',
  });

describe('a system that refuses watches', () => {
  it('causes a warning and polling, until watches work again', async () => {
    await using home = await tempDirectory();
    let exhausted = true;
    const watch: Watch = (...args) => {
      if (exhausted) throw limit();
      return systemWatch(...args);
    };
    await using one = openMember(home.path);
    await using other = openMember(home.path, { watch, pollMs: 10 });
    await Promise.all([one.opened(), other.opened()]);
    expect([...other.host.warnings]).toEqual([
      expect.stringContaining('polling every 10 ms instead'),
    ]);
    await writeMany(one, 3);
    await eventually(
      'the other member reads by polling',
      () => other.current()?.id === one.current()?.id,
    );
    exhausted = false;
    await eventually('the warning is cleared', () => other.host.warnings.size === 0);
  });

  it('may also fail an open watch', async () => {
    await using home = await tempDirectory();
    const breaks: ((error: unknown) => void)[] = [];
    const watch: Watch = (directory, received, broke) => {
      breaks.push(broke);
      return systemWatch(directory, received, broke);
    };
    await using one = openMember(home.path, { watch, pollMs: 10 });
    await one.opened();
    breaks[0]?.(limit());
    expect(one.host.warnings.size).toBe(1);
    await eventually(
      'the directory is watched again',
      () => breaks.length === 2 && one.host.warnings.size === 0,
    );
  });
});
