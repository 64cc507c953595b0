// Runs the instructions for Jest in docs/reference/runtimes.md, exactly as quoted there, in
// separate projects.
import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { textOf } from './docs/document.ts';
import { scratchDirectory } from './scratch-directory.ts';

const run = promisify(execFile);
const modules = resolve(import.meta.dirname, '../../node_modules');

const [, recipe = ''] =
  /^## Jest\n([\s\S]*?)^## /m.exec(textOf('docs/reference/runtimes.md')) ?? [];
const blockOf = (language: string): string =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(recipe)?.[1] ?? '';

/**
 * A test in a project of ES modules. It includes the file backend, which starts a worker thread.
 */
const esModule = `
import { openLeadership } from '@leadership/core';

test.each(['memory:billing', 'file:./store?group=billing'])('a member joins on %s', async (url) => {
  const source = await openLeadership(url);
  await source.ready();
  expect(source.health().ok).toBe(true);
  await source.close();
});
`;

it.each([
  ['ES modules', 'module', esModule, 'Tests:       2 passed, 2 total'],
  ['CommonJS', 'commonjs', blockOf('js'), 'Tests:       1 passed, 1 total'],
])('Jest runs tests in %s with the documented command', async (_, type, text, summary) => {
  await using project = await scratchDirectory();
  await symlink(modules, join(project.path, 'node_modules'));
  await writeFile(join(project.path, 'package.json'), JSON.stringify({ type }));
  await writeFile(join(project.path, 'billing.test.js'), text);
  const [command, ...args] = blockOf('sh').trim().split(' ');
  expect(command).toBe('node');
  const { stderr } = await run(process.execPath, args, { cwd: project.path });
  expect(stderr).toContain(summary);
  // A closed source leaves nothing that prevents Jest from exiting.
  expect(stderr).not.toContain('did not exit');
});
