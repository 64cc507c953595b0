// Compiles and runs the program of docs/how-to/use-nestjs.md, with the decorators of TypeScript.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';

const repository = resolve(import.meta.dirname, '../../..');
const modules = join(repository, 'node_modules');
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  experimentalDecorators: true,
  emitDecoratorMetadata: true,
};

let cwd = '';
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'leadership-nest-'));
});
afterEach(() => rm(cwd, { recursive: true, maxRetries: 5 }));

it.each(['module', 'commonjs'])(
  'compiles, works on the leader, and ends on SIGTERM: %s',
  async (type) => {
    const page = await readFile(join(repository, 'docs/how-to/use-nestjs.md'), 'utf8');
    const program = page.match(/```ts\n(import 'reflect-metadata'[\s\S]*?)```/)?.[1] ?? '';
    // A new group waits for T before its first member leads.
    const quick = program.replace('partitions: 1', 'partitions: 1, thresholdMs: 1500');
    expect(quick).not.toBe(program);
    await symlink(modules, join(cwd, 'node_modules'));
    await writeFile(join(cwd, 'package.json'), JSON.stringify({ type }));
    await writeFile(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await writeFile(join(cwd, 'main.ts'), quick);
    const compiling = promisify(execFile)(process.execPath, [join(modules, 'typescript/bin/tsc')], {
      cwd,
    });
    const { stdout } = await compiling.catch((error: { readonly stdout: string }) => error);
    expect(stdout).toBe('');
    const env = { ...process.env, PORT: '0' };
    const child = spawn(process.execPath, ['main.js'], { cwd, env });
    const exit = once(child, 'exit');
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    try {
      await expect.poll(() => output).toMatch(/sends invoices with token \d+/);
      await expect.poll(() => output).toMatch(/report of \S+\.000Z/);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exit).toEqual([null, 'SIGTERM']);
  },
);
