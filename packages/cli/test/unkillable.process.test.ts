// A command with a process that SIGKILL does not end: its lease is not released before it has ended, and
// nothing waits for it longer than the lease lasts.
import { spawn } from 'node:child_process';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { type Command, canContain, childrenOf, isAlive, startCommand } from './support/command.ts';
import { type Group, temporaryGroup } from './support/group.ts';
import { type Journal, journalIn } from './support/journal.ts';

/** T. Milliseconds. */
const thresholdMs = 5000;

/**
 * A `run` whose command has process 1 of a PID namespace in its group. The kernel ends that one only once
 * no other process of the namespace is left, and one is kept: its parent is stopped, so it stays a zombie.
 * To the signals of the watchdog, that is the same as a disk that does not answer.
 */
async function unkillable(group: Group) {
  const options = ['--role', 'job', '--stop-timeout', '1'];
  const command = ['unshare', '--pid', '--fork', 'sleep', '1000'];
  const run = startCommand(['run', group.url, ...options, '--', ...command]);
  const childOf = (pid: number, what: string): Promise<number> =>
    eventually(what, () => childrenOf(pid)[0]);
  const watchdog = await childOf(run.pid, 'the watchdog runs');
  const unshare = await childOf(watchdog, 'the command runs');
  const first = await childOf(unshare, 'process 1 runs');
  const parent = spawn('nsenter', ['-t', String(first), '-p', 'sleep', '1000'], {
    stdio: 'ignore',
  });
  await childOf(parent.pid ?? 0, 'another process of the namespace runs');
  parent.kill('SIGSTOP');
  return {
    run,
    watchdog,
    /** Lets the process end that has received SIGKILL. */
    release: () => parent.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      for (const pid of childrenOf(parent.pid ?? 0)) process.kill(pid, 'SIGKILL');
      parent.kill('SIGCONT');
      parent.kill('SIGKILL');
      await run[Symbol.asyncDispose]();
    },
  };
}

/** Starts a `run` that waits for the role, with a worker `b`. */
function startOther({ url }: Group, journal: Journal): Command {
  return startCommand(['run', url, '--role', 'job', '--', ...journal.worker('b')]);
}

describe.runIf(canContain).concurrent('run, whose command SIGKILL does not end', () => {
  it('keeps the lease, and says why, until it has ended', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using scene = await unkillable(group);
    const { run, release } = scene;
    await using _other = startOther(group, journal);
    run.process.kill('SIGTERM');
    await eventually('it says why', () =>
      /has not ended after SIGKILL: process \d+ \(state [A-Z]\)/.test(run.stderr()),
    );
    expect(journal.lines('b'), 'another command ran beside it').toEqual([]);
    expect(run.process.exitCode).toBeNull();
    release();
    await run.ended;
    await journal.noted('b', 'start');
  });

  it('releases nothing after the death of its wrapper, and the watchdog ends with the lease', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using scene = await unkillable(group);
    const { run, watchdog } = scene;
    await using _other = startOther(group, journal);
    run.process.kill('SIGKILL');
    await eventually('the watchdog ends', () => !isAlive(watchdog));
    await eventually(
      'it says why',
      () => run.stderr().includes('has not ended after SIGKILL: process'),
      { details: () => `; standard error: ${run.stderr()}` },
    );
    expect(run.stderr()).not.toContain('reported');
    // The lease lapses, because no signal ends that process.
    await journal.noted('b', 'start');
  });
});
