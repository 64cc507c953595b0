import { readdir } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { it, vi } from 'vitest';
import { disk } from '../../src/disk/disk.ts';
import { fileLeadership } from '../../src/index.ts';
import { layoutOf } from '../../src/layout.ts';
import { tempDirectory } from '../support/temp-directory.ts';

// In a directory with the sticky bit a user may not remove the files that another one has left.
it('a version that may not be removed keeps those of its row only, and a warning says so until it may', async () => {
  await using home = await tempDirectory();
  const { unlink } = disk;
  const refused = vi.spyOn(disk, 'unlink').mockImplementation((path) => {
    const error = Object.assign(new Error('not permitted'), { code: 'EPERM' });
    return path.includes('session') ? Promise.reject(error) : unlink(path);
  });
  const common = { directory: home.path, group: 'g', thresholdMs: 300, partitions: 1 };
  await using leader = fileLeadership(common);
  await eventually('a member leads', () => leader.role(0).isLeading() || undefined);
  await using candidate = fileLeadership({ ...common, member: 'candidate' });
  await candidate.ready();
  const filesOf = async (row: string): Promise<number> =>
    (await readdir(layoutOf(home.path, 'g').rows)).filter((file) => file.startsWith(row)).length;
  const isWarned = (): boolean =>
    leader.health().warnings.some(({ message }) => message.includes('may not be removed'));
  await eventually('versions of the session stay', async () => (await filesOf('session')) > 30);
  await eventually('a warning says so', isWarned);
  await eventually('those of notes go', async () => (await filesOf('member')) < 8);
  refused.mockRestore();
  await eventually('all old ones go', async () => (await filesOf('session')) < 20);
  await eventually('the warning ends', () => !isWarned() || undefined);
});
