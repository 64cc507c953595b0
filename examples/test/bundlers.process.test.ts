// Bundles an application into one file, and runs it where no package is installed.
import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build as esbuild } from 'esbuild';
import { build as vite } from 'vite';
import { expect, it } from 'vitest';
import { textOf } from './docs/document.ts';
import { scratchDirectory } from './scratch-directory.ts';

const run = promisify(execFile);
const modules = resolve(import.meta.dirname, '../../node_modules');

const [, registration = ''] =
  /## Bundlers\n[\s\S]*?```ts\n([\s\S]*?)```/.exec(textOf('docs/reference/runtimes.md')) ?? [];

const application = `${registration}
import { openLeadership } from '@leadership/core';

const source = await openLeadership(process.argv[2]);
await source.role('report').lead(() => {
  console.log('leading');
  void source.close();
});
`;

const bundlers: Readonly<Record<string, (directory: string) => Promise<unknown>>> = {
  esbuild: (directory) =>
    esbuild({
      entryPoints: [join(directory, 'app/main.js')],
      outfile: join(directory, 'out/main.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    }),
  Vite: (directory) =>
    vite({
      root: join(directory, 'app'),
      configFile: false,
      logLevel: 'error',
      build: {
        ssr: 'main.js',
        outDir: '../out',
        emptyOutDir: true,
        target: 'node20',
        rollupOptions: { output: { entryFileNames: 'main.mjs' } },
      },
      ssr: { noExternal: true },
    }),
};

it.each(Object.entries(bundlers))('%s', async (_name, bundle) => {
  await using directory = await scratchDirectory();
  const app = join(directory.path, 'app');
  await mkdir(app);
  await symlink(modules, join(app, 'node_modules'));
  await writeFile(join(app, 'package.json'), '{ "type": "module" }');
  await writeFile(join(app, 'main.js'), application);
  await bundle(directory.path);
  const { stdout, stderr } = await run(
    process.execPath,
    ['out/main.mjs', 'file:./leases?group=g&partitions=1&thresholdMs=1000'],
    { cwd: directory.path },
  );
  expect(stdout).toBe('leading\n');
  // The worker thread of the file backend is a file of its own. The warning names the remedy.
  expect(stderr).toContain('exclude @leadership/file from the bundle');
  const other = run(process.execPath, ['out/main.mjs', 'nerio:x/g'], { cwd: directory.path });
  await expect(other).rejects.toThrow('@leadership/nerio');
});
