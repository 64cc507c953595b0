import { rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type LeadershipSource, openLeadership } from '@leadership/core';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { backend, fileLeadership } from '../src/index.ts';
import { tempDirectory } from './support/temp-directory.ts';

const load = async () => ({ backend });
const leads = (source: LeadershipSource) => source.role('work').isLeading();

describe('a source on a directory', () => {
  it('elects one, hands over on close, and tokens grow', async () => {
    await using home = await tempDirectory();
    const options = { directory: home.path, group: 'g', thresholdMs: 300, partitions: 1 };
    await using one = fileLeadership({ ...options, member: 'one' });
    await one.ready();
    await eventually('one leads', () => leads(one));
    await using two = fileLeadership({ ...options, member: 'two' });
    await two.ready();
    await eventually('two sees one', () => two.role('work').leader()?.member === 'one');
    const token = one.role('work').term()?.token ?? 0n;
    await one.close();
    await eventually('two leads', () => leads(two));
    expect(two.role('work').term()?.token).toBeGreaterThan(token);
    await eventually('two is well', () => two.health().ok);
    expect(two.health().ignored).toEqual({});
  });

  it('elects again, with a greater token, after the store was deleted under way (L5)', async () => {
    await using home = await tempDirectory();
    const options = { directory: `${home.path}/store`, group: 'g', thresholdMs: 200, partitions: 1 };
    await using one = fileLeadership(options);
    await using two = fileLeadership(options);
    const holder = await eventually('one of them leads', () => [one, two].find(leads));
    const token = holder.role('work').term()?.token ?? 0n;
    // Moved away first: they make it anew while it is being removed.
    await rename(`${home.path}/store`, `${home.path}/gone`);
    await eventually('one of them leads anew', () => [one, two].some((each) => (each.role('work').term()?.token ?? 0n) > token));
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
    ['file:x?group=g&partitions=257', /partitions 257 is more than the 256 that the file backend/],
  ])('%s is refused before anything is touched', async (url, sentence) => {
    await expect(openLeadership(url, { load })).rejects.toMatchObject({
      code: 'invalid-options',
      message: expect.stringMatching(sentence),
    });
  });

  it('takes a relative directory from where the process runs', async () => {
    await using home = await tempDirectory();
    const relative = home.path.replace(resolve('/'), '../'.repeat(process.cwd().split('/').length - 1));
    await using source = await openLeadership(`file:${relative}?group=g`, { load, thresholdMs: 200 });
    await source.ready();
  });
});
