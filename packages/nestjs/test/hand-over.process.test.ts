// Two applications in processes of their own, which are restarted one after the other.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { expect, it } from 'vitest';

const program = fileURLToPath(new URL('./support/app.mjs', import.meta.url));

it('hands over on SIGTERM after running methods, and runs each tick at most once', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'leadership-nest-'));
  const log = join(directory, 'log');
  const lines = (kind: string) =>
    (existsSync(log) ? readFileSync(log, 'utf8') : '')
      .split('\n')
      .filter((line) => line.startsWith(kind));
  const children: ChildProcess[] = [];
  const start = async (member: string): Promise<ChildProcess> => {
    const url = `file:${join(directory, 'leases')}?group=g`;
    const input = { url, ticks: join(directory, 'ticks'), log, member };
    const child = spawn(process.execPath, [program, JSON.stringify(input)], { stdio: 'inherit' });
    children.push(child);
    await eventually(`${member} is ready`, () => lines(`started ${member}`).length === 1);
    return child;
  };
  try {
    let leader = await start('m0');
    for (const round of [1, 2, 3]) {
      // Not before the leader works: of two members that start together, either may lead.
      await eventually('the leader works', () => lines(`begin m${round - 1}`).length > 0);
      const next = await start(`m${round}`);
      const count = lines('tick').length;
      await eventually('a tick runs', () => lines('tick').length > count);
      const ended = once(leader, 'exit');
      leader.kill('SIGTERM');
      await eventually('the successor works', () => lines(`begin m${round}`).length > 0);
      expect(await ended).toEqual([null, 'SIGTERM']);
      expect(lines(`released m${round - 1}`), 'it ended in order').toHaveLength(1);
      leader = next;
    }
    // No begin between another member's begin and end.
    const steps = lines('').filter((line) => /^(begin|end)/.test(line));
    for (const [index, step] of steps.entries())
      if (step.startsWith('end')) expect(steps[index - 1]).toBe(step.replace('end', 'begin'));
    const ticks = lines('tick').map((line) => line.split(' ')[1]);
    expect(ticks.length).toBeGreaterThanOrEqual(3);
    expect(new Set(ticks).size).toBe(ticks.length);
    for (const tick of ticks) expect(tick).toMatch(/:\d\d\.000Z$/);
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});
