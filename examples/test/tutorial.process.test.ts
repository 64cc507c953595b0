// Follows docs/tutorial/first-election.md with the program that the page quotes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { textOf } from './docs/document.ts';
import { scratchDirectory } from './scratch-directory.ts';

const modules = resolve(import.meta.dirname, '../../node_modules');
const page = textOf('docs/tutorial/first-election.md');
const program = /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? '';

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});

it('elects one member, replaces it after a kill, and hands over on Ctrl-C', async () => {
  await using election = await scratchDirectory();
  await symlink(modules, join(election.path, 'node_modules'));
  await writeFile(join(election.path, 'worker.mjs'), program);
  const lines: string[] = [];
  const start = (member: string): ChildProcess => {
    const child = spawn(process.execPath, ['worker.mjs', member], {
      cwd: election.path,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(child);
    child.once('close', () => running.delete(child));
    createInterface({ input: child.stdout }).on('line', (line) =>
      lines.push(line.replace(/^\S+ /, '')),
    );
    return child;
  };
  const has = (line: string) => expect.poll(() => lines).toContain(line);

  const alice = start('alice');
  await has('alice leading');
  const bob = start('bob');
  await has('bob waiting');
  alice.kill('SIGKILL');
  await has('bob leading');
  lines.length = 0;
  const restarted = start('alice');
  await has('alice waiting');
  bob.kill('SIGINT');
  await has('alice leading');
  const order = ['bob revoking', 'bob has finished its work', 'alice leading'];
  expect(lines.filter((line) => order.includes(line))).toEqual(order);
  restarted.kill('SIGINT');
  await once(restarted, 'close');
});
