import { mkdir, rm, writeFile } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';
import { fileLeadership } from '../src/index.ts';
import { layoutOf } from '../src/layout.ts';
import { tempDirectory } from './support/temp-directory.ts';

it('a presence directory that cannot be used is one trouble for as long as that lasts', async () => {
  await using home = await tempDirectory();
  const layout = layoutOf(home.path, 'g');
  await mkdir(layout.group, { recursive: true });
  await writeFile(layout.presence, 'in the way');
  const thresholdMs = 200;
  await using one = fileLeadership({ directory: home.path, group: 'g', thresholdMs, partitions: 1 });
  const told: string[] = [];
  one.events$.subscribe(({ kind }) => told.push(kind));
  await eventually('it leads all the same', () => one.role(0).isLeading());
  await eventually('it says what is wrong', () => one.health().troubles.length > 0);
  const until = performance.now() + 5 * thresholdMs;
  await eventually('some time passes', () => performance.now() > until);
  expect(one.health().troubles).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('presence: it is no directory') }),
  );
  expect(told.filter((kind) => kind === 'mended')).toEqual([]);
  await rm(layout.presence);
  await eventually('it mends', () => one.health().ok);
});
