import { readdir, rename } from 'node:fs/promises';
import { relative } from 'node:path';
import { type LeadershipSource, openLeadership } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { backend, fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

const load = async () => ({ backend });
const leads = (source: LeadershipSource) => source.role('work').isLeading();

describe('a source on a directory', () => {
  it('elects one leader, hands over on close, and tokens grow', async () => {
    await using home = await tempDirectory();
    const options = { directory: home.path, group: 'g', thresholdMs: 300, partitions: 1 };
    await using one = fileLeadership({ ...options, member: 'one' });
    await one.ready();
    await eventually('member one leads', () => leads(one));
    await using two = fileLeadership({ ...options, member: 'two' });
    await two.ready();
    await eventually(
      'member two sees member one',
      () => two.role('work').leader()?.member === 'one',
    );
    const token = one.role('work').term()?.token ?? 0n;
    await one.close();
    await eventually('member two leads', () => leads(two));
    expect(two.role('work').term()?.token).toBeGreaterThan(token);
    await eventually('member two is healthy', () => two.health().ok);
    expect(two.health().ignored).toEqual({});
  });

  it('elects again with a greater token after the store was deleted while in use (L5)', async () => {
    await using home = await tempDirectory();
    const options = {
      directory: `${home.path}/store`,
      group: 'g',
      thresholdMs: 200,
      partitions: 1,
    };
    await using one = fileLeadership(options);
    await using two = fileLeadership(options);
    const holder = await eventually('a member leads', () => [one, two].find(leads));
    const token = holder.role('work').term()?.token ?? 0n;
    // Move it away first, because members recreate it during the removal.
    await rename(`${home.path}/store`, `${home.path}/gone`);
    await eventually('a member leads with a greater token', () =>
      [one, two].some((each) => (each.role('work').term()?.token ?? 0n) > token),
    );
    expect([one, two].filter(leads)).toHaveLength(1);
  });

  it('publishes a bound that holds without any watch', async () => {
    await using home = await tempDirectory();
    await using source = fileLeadership({ directory: home.path, group: 'g', thresholdMs: 1000 });
    expect(source.guarantees).toMatchObject({
      exclusive: true,
      tokens: 'ordered',
      handover: 'drained',
      failoverMsMax: 1000 + 1 + 40 + 125,
    });
  });
});

describe('file: URLs', () => {
  it('name a directory, absolute or not, and the group', async () => {
    await using home = await tempDirectory();
    for (const url of [`file:${home.path}?group=g`, `file://${home.path}?group=g`]) {
      await using source = await openLeadership(url, { load, thresholdMs: 200 });
      await source.ready();
      expect(source.group).toBe('g');
    }
  });

  it.each([
    ['file:x', /group/],
    ['file:?group=g', /directory/],
    ['file://host/x?group=g', /host/],
    ['file:x?grup=g', /group/],
    [
      'file:x?group=g&partitions=1001',
      /partitions 1001 is more than the 1000 that the file backend/,
    ],
  ])('%s is rejected before any file is accessed', async (url, sentence) => {
    await expect(openLeadership(url, { load })).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringMatching(sentence),
    });
  });

  it('resolve a relative directory against the working directory', async () => {
    await using home = await tempDirectory();
    const path = relative(process.cwd(), home.path);
    for (const url of [`file:${path}/one?group=g`, `file:./${path}/two?group=g`]) {
      await using source = await openLeadership(url, { load, thresholdMs: 200 });
      await source.ready();
    }
    expect(await readdir(home.path)).toEqual(['one', 'two']);
  });
});
