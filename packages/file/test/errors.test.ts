import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { LeadershipError } from '@leadership/core';
import { expect, it } from 'vitest';
import { fileError } from '../src/errors.ts';
import { tempDirectory } from './support/temp-directory.ts';

async function failureOf(act: Promise<unknown>): Promise<unknown> {
  return act.then(
    () => undefined,
    (error: unknown) => error,
  );
}

it('maps real system errors, with the path, a remedy and the cause', async () => {
  await using home = await tempDirectory();
  await writeFile(`${home.path}/file`, 'x');
  await mkdir(`${home.path}/full/inner`, { recursive: true });
  const failures = {
    ENOENT: () => readFile(`${home.path}/nowhere`),
    ENOTDIR: () => readdir(`${home.path}/file`),
    ENAMETOOLONG: () => open(`${home.path}/${'x'.repeat(300)}`),
    ENOSPC: () => writeFile('/dev/full', 'x'),
    EINVAL: () => rename(`${home.path}/full`, `${home.path}/full/inner`),
  };
  for (const [code, act] of Object.entries(failures)) {
    const cause = await failureOf(act());
    const error = fileError(cause, home.path);
    expect(cause, code).toMatchObject({ code });
    expect(error, code).toBeInstanceOf(LeadershipError);
    expect(error.cause, code).toBe(cause);
    expect(error.message, code).toContain(home.path);
  }
});

it.each([
  ['EACCES', 'unauthorized'],
  ['EPERM', 'unauthorized'],
  ['EROFS', 'unauthorized'],
  ['ENOENT', 'unreachable'],
  ['ENOTDIR', 'misconfigured-backend'],
  ['ENOSPC', 'unreachable'],
  ['EDQUOT', 'unreachable'],
  ['EMFILE', 'unreachable'],
  ['EIO', 'unreachable'],
  ['EWHATEVER', 'unreachable'],
])('%s maps to %s', (code, meant) => {
  expect(fileError(Object.assign(new Error(code), { code }), '/x').code).toBe(meant);
});

it('returns an error that is already mapped unchanged', () => {
  const error = new LeadershipError('closed', 'x');
  expect(fileError(error, '/x')).toBe(error);
});
