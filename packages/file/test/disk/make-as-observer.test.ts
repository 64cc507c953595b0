import { mkdir, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { makeAsObserver } from '../../src/disk/make-as-observer.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const refused = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });

it('an observer without permission checks again if a member has just created the directory', async () => {
  await using home = await tempDirectory();
  const directory = `${home.path}/pin`;
  const overtaken = async (): Promise<never> => {
    await mkdir(directory);
    await writeFile(`${directory}/0-abc`, '');
    throw refused;
  };
  await makeAsObserver(directory, overtaken);
});

it('an observer waits while no member has created and filled the directory', async () => {
  await using home = await tempDirectory();
  const fails = (): Promise<never> => Promise.reject(refused);
  for (const directory of [`${home.path}/pin`, home.path]) {
    await expect(makeAsObserver(directory, fails)).rejects.toMatchObject({
      code: 'unreachable',
      cause: refused,
    });
  }
});

it('an observer receives other errors', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  await expect(makeAsObserver('nowhere', () => Promise.reject(full))).rejects.toBe(full);
});
