// Real processes on the file backend, which are killed, stopped and restarted.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('./support/ticking-member.mjs', import.meta.url));
const pauseMs = 1500;

test.each([
  ['the group', undefined],
  ['a directory', 'ticks'],
])(
  'each tick in %s runs at most once while members are killed, stopped and restarted',
  async (_where, ticks) => {
    const directory = await mkdtemp(join(tmpdir(), 'ticks-'));
    const log = join(directory, 'log');
    const ran = () =>
      existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').map(Number) : [];
    const start = (member: string): ChildProcess => {
      const url = `file:${join(directory, 'leases')}?group=g`;
      const input = {
        url,
        log,
        member,
        ...(ticks !== undefined && { ticks: join(directory, ticks) }),
      };
      return spawn(process.execPath, [program, JSON.stringify(input)], { stdio: 'inherit' });
    };
    const members = ['a', 'b', 'c'].map((name) => ({ name, child: start(name) }));
    let kills = 0;
    try {
      await eventually('the first tick runs', () => ran().length > 0);
      for (let round = 0; round < 9; round += 1) {
        const member = members[round % members.length];
        if (member === undefined) throw new Error('there are three members');
        const { child } = member;
        const count = ran().length;
        if (round % 2 === 0) {
          child.kill('SIGKILL');
          kills += 1;
          member.child = start(member.name);
        } else {
          // It is stopped for longer than T.
          child.kill('SIGSTOP');
          await new Promise((resolve) => setTimeout(resolve, pauseMs * 1.5));
          child.kill('SIGCONT');
        }
        await eventually('more ticks run', () => ran().length > count + 1);
      }
    } finally {
      for (const { child } of members) child.kill('SIGKILL');
    }
    const times = ran();
    await rm(directory, { recursive: true, maxRetries: 5 });
    expect(new Set(times).size).toBe(times.length);
    const first = times[0] ?? 0;
    const span = (Math.max(...times) - first) / 1000 + 1;
    // A member that is killed or loses its lease between claim and job loses that tick.
    expect(span - times.length).toBeLessThanOrEqual(kills + 4);
  },
);
