import { mkdir, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { leftToMembers } from '../src/left-to-members.ts';
import { tempDirectory } from './support/temp-directory.ts';

const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });

it('an observer that may make nothing looks again where a member has made it at that very moment', async () => {
  await using home = await tempDirectory();
  const directory = `${home.path}/pin`;
  const overtaken = async (): Promise<never> => {
    await mkdir(directory);
    await writeFile(`${directory}/0-abc`, '');
    throw refused;
  };
  await leftToMembers(directory, overtaken);
});

it('it waits where nobody has, or nobody has put anything into it', async () => {
  await using home = await tempDirectory();
  const fails = (): Promise<never> => Promise.reject(refused);
  for (const directory of [`${home.path}/pin`, home.path]) {
    await expect(leftToMembers(directory, fails)).rejects.toMatchObject({ code: 'unreachable', cause: refused });
  }
});

it('it is told what else failed', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  await expect(leftToMembers('nowhere', () => Promise.reject(full))).rejects.toBe(full);
});
