import { mkdir, rmdir } from 'node:fs/promises';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { makeDirectory } from '../../src/disk/make-directory.ts';
import { fileLeadership } from '../../src/index.ts';
import { tempDirectory } from '../support/temp-directory.ts';

const unmakeable = {
  code: 'unreachable',
  message: expect.stringContaining('nothing can be created in its parent directory'),
};

describe('an existing directory in which nothing can be created', () => {
  it.runIf(process.platform === 'linux')('fails at once with the reason', async () => {
    await expect(makeDirectory('/proc/x')).rejects.toMatchObject(unmakeable);
    await expect(makeDirectory('/proc/x/y/z')).rejects.toMatchObject(unmakeable);
  });

  it.runIf(process.platform === 'linux')('fails if the working directory was removed', async () => {
    await using home = await tempDirectory();
    const path = `${home.path}/gone`;
    await mkdir(path);
    const before = process.cwd();
    process.chdir(path);
    try {
      await rmdir(path);
      await expect(makeDirectory('/proc/self/cwd/x')).rejects.toMatchObject(unmakeable);
    } finally {
      process.chdir(before);
    }
  });

  it.runIf(process.platform === 'linux')(
    'is reported by the source, which can still close',
    async () => {
      await using source = fileLeadership({ directory: '/proc/x', group: 'g', thresholdMs: 100 });
      const isReported = (): boolean =>
        source
          .health()
          .troubles.some(({ message }) =>
            message.includes('nothing can be created in its parent directory'),
          );
      await eventually('health reports the problem', isReported);
      await source.close();
    },
  );
});
