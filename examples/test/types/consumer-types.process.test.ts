import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { npmPackage } from '@leadership/tools/npm-package';
import { describe, expect, it } from 'vitest';

const project = join(import.meta.dirname, 'tsconfig.json');
const nodenext = ['--module', 'nodenext'];
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler'];

describe('the published declarations', () => {
  it.each([
    ['5.4.5', nodenext],
    ['5.9.3', bundler],
    ['6.0.3', nodenext],
  ])('accept a correct application and reject misspelled options, with TypeScript %s and %j', async (version, resolution) => {
    const typescript = await npmPackage('typescript', version);
    const run = promisify(execFile)(process.execPath, [join(typescript, 'bin/tsc'), '-p', project, ...resolution]);
    const complaints = await run.then(
      () => '',
      ({ stdout }: { readonly stdout: string }) => stdout,
    );
    expect(complaints).toBe('');
  });
});
