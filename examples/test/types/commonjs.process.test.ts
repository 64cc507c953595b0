import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { npmPackage } from '@leadership/tools/npm-package';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const repository = resolve(import.meta.dirname, '../../..');
let project = '';

/** The same with `await import`, as TypeScript requires it where `module` is `node16`. */
const dynamic = `
async function main(): Promise<void> {
  const { openLeadership } = await import('@leadership/core');
  const source = await openLeadership('memory:dynamic', { partitions: 1 });
  await source.ready();
  await source.close();
}
void main();
`;

/**
 * A separate project, because the repository's package.json makes every `.ts` file an ES module.
 */
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'leadership-commonjs-'));
  await symlink(join(repository, 'node_modules'), join(project, 'node_modules'));
  await writeFile(join(project, 'package.json'), '{ "type": "commonjs" }');
  await cp(join(import.meta.dirname, 'commonjs.cts'), join(project, 'main.ts'));
  await writeFile(join(project, 'dynamic.ts'), dynamic);
});
afterAll(() => rm(project, { recursive: true, force: true }));

describe('a CommonJS application', () => {
  it.each([
    ['nodenext', 'nodenext', 'main.ts'],
    ['commonjs', 'node10', 'main.ts'],
    ['preserve', 'bundler', 'main.ts'],
    ['node16', 'node16', 'dynamic.ts'],
  ])('type-checks with --module %s --moduleResolution %s: %s', async (module, resolution, file) => {
    const typescript = await npmPackage('typescript', '5.9.3');
    const args = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--target',
      'es2022',
      '--types',
      'node',
      '--preserveSymlinks',
    ];
    const paths = ['--module', module, '--moduleResolution', resolution, file];
    const checked = run(process.execPath, [join(typescript, 'bin/tsc'), ...args, ...paths], {
      cwd: project,
    });
    await expect(
      checked.catch(({ stdout }: { readonly stdout: string }) => ({ stdout })),
    ).resolves.toMatchObject({ stdout: '' });
  });

  it('runs after compilation, where `require` loads the package', async () => {
    const typescript = await npmPackage('typescript', '5.9.3');
    const emit = [
      '--skipLibCheck',
      '--target',
      'es2022',
      '--types',
      'node',
      '--preserveSymlinks',
      '--module',
      'nodenext',
      'main.ts',
    ];
    await run(process.execPath, [join(typescript, 'bin/tsc'), ...emit], { cwd: project });
    const { stdout } = await run(process.execPath, ['main.js'], { cwd: project });
    expect(stdout).toBe('leading\n');
  });
});
