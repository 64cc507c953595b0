// An observer leaves the directory as it is, until it becomes a candidate.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { openReader } from './support/reader.ts';
import { tempDirectory } from './support/temp-directory.ts';

const names = async (directory: string): Promise<readonly string[]> =>
  (await readdir(directory, { recursive: true })).sort();

describe('an observer', () => {
  it('creates nothing, and reads the group once a member has created it, also its directory', async () => {
    await using home = await tempDirectory();
    const directory = join(home.path, 'not', 'yet');
    const options = { directory, group: 'g', partitions: 1, thresholdMs: 300, log: false } as const;
    await using observer = fileLeadership({ ...options, campaign: false });
    await observer.ready();
    expect(observer.health()).toMatchObject({ ok: false, troubles: [{ code: 'unknown-group' }] });
    expect(await names(home.path)).toEqual([]);
    await using member = fileLeadership(options);
    await eventually('it leads', () => member.role(0).isLeading());
    await eventually('the observer sees it', () => observer.role(0).leader() !== undefined);
    await eventually('the observer is healthy', () => observer.health().ok);
  });

  it('says again that the group is unknown once its directory was deleted, and creates nothing', async () => {
    await using home = await tempDirectory();
    const options = { directory: home.path, group: 'g', partitions: 1, thresholdMs: 300 };
    await using observer = fileLeadership({ ...options, campaign: false, log: false });
    {
      await using member = fileLeadership(options);
      await eventually('it leads', () => member.role(0).isLeading());
      await eventually('the observer sees it', () => observer.role(0).leader() !== undefined);
    }
    await rm(home.path, { recursive: true });
    await mkdir(home.path);
    await eventually(
      'health says so',
      () => observer.health().troubles[0]?.code === 'unknown-group',
    );
    expect(observer.role(0).leader()).toBeUndefined();
    expect(await names(home.path)).toEqual([]);
  });

  it('creates the group once it becomes a candidate', async () => {
    await using home = await tempDirectory();
    const directory = join(home.path, 'later');
    await using one = await openReader(directory, { mayCreate: false });
    await one.exchange();
    expect(await names(home.path)).toEqual([]);
    await one.open(true);
    // Rows that did not exist were not lost.
    expect(await one.isRestarted()).toBe(false);
    expect(existsSync(join(directory, 'g', 'rows'))).toBe(true);
    expect(await one.change('a', null, '1')).toBe(true);
  });

  it('is refused if no directory can have that name', async () => {
    await using home = await tempDirectory();
    const directory = join('/proc/self/status', 'below');
    await using observer = fileLeadership({ directory, group: 'g', campaign: false, log: false });
    await expect(observer.ready()).rejects.toMatchObject({ code: 'misconfigured-backend' });
    expect(await names(home.path)).toEqual([]);
  });
});
