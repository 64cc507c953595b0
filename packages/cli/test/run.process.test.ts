import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import {
  type Command,
  childrenOf,
  isAlive,
  killWithChildren,
  startCommand,
} from './support/command.ts';
import { type Group, temporaryGroup } from './support/group.ts';
import { journalIn } from './support/journal.ts';

/** T. Long enough for members on a machine that tests keep busy. Milliseconds. */
const thresholdMs = 5000;

function startRun(
  group: Group,
  command: readonly string[],
  options: readonly string[] = [],
): Command {
  return startCommand(['run', group.url, '--role', 'job', ...options, '--', ...command]);
}

describe.skipIf(process.platform === 'win32').concurrent('run', () => {
  it.each([
    ['exit 7', 7],
    ['exit 0', 0],
    ['kill -TERM $$', 143],
  ])('keeps the exit code of its command (%s)', async (script, code) => {
    await using group = await temporaryGroup(1000);
    await using command = startRun(group, ['sh', '-c', script]);
    expect(await command.ended).toBe(code);
  });

  it('says in one line each that it campaigns and that its command fails, without a stack', async () => {
    await using group = await temporaryGroup(1000);
    await using command = startRun(group, ['sh', '-c', 'exit 1'], ['--restart']);
    await eventually('it reports the failure', () => command.stderr().includes('WORK_FAILED'));
    expect(command.stderr()).toMatch(/^leadership: member \S+ campaigns for role job$/m);
    expect(command.stderr().trimEnd().split('\n')).toEqual(
      command.stderr().match(/^leadership: .*$/gm),
    );
  });

  it('exits with 127 or 126 if the command cannot be started', async () => {
    await using group = await temporaryGroup(1000);
    await using missing = startRun(group, ['no-such-command']);
    expect(await missing.ended).toBe(127);
    await using directory = startRun(group, [group.directory]);
    expect(await directory.ended).toBe(126);
  });

  it.each([
    ['without a role', ['run', 'file:x?group=g', '--', 'true'], "'--slots <n>' not specified"],
    ['without a command', ['run', 'file:x?group=g', '--role', 'r'], 'needs a command after --'],
    [
      'with a command that is not separated by --',
      ['run', 'file:x?group=g', '--role', 'r', 'node', 'job.js', '--wait', '1'],
      '-- separates the command from the options',
    ],
    [
      'with a command whose options look like its own',
      ['run', 'file:x?group=g', '--role', 'r', 'ls', '-l'],
      '-- separates the command from the options',
    ],
    [
      'if guard gets its command without --',
      ['guard', 'node', 'app.js'],
      '-- separates the command from the options',
    ],
    ['on an unknown backend', ['run', 'nosuch:x', '--role', 'r', '--', 'true'], 'no backend for'],
    [
      'with less drain time than the command may take',
      ['run', 'file:x?group=g&drainTimeoutMs=1000', '--role', 'r', '--', 'true'],
      'it must be at least 12500',
    ],
  ])('exits with 125 %s', async (_, args, message) => {
    await using command = startCommand(args);
    expect(await command.ended).toBe(125);
    expect(command.stderr()).toContain(message);
  });

  it('passes all that follows -- to the command, its own options included', async () => {
    await using group = await temporaryGroup(1000);
    await using command = startRun(group, ['echo', '--role', 'x', '--', '--wait']);
    expect(await command.ended).toBe(0);
    expect(command.stdout()).toBe('--role x -- --wait\n');
  });

  it('exits in one line if Node refuses to start the command', async () => {
    await using group = await temporaryGroup(1000);
    await using command = startRun(group, ['']);
    expect([125, 126, 127]).toContain(await command.ended);
    expect(command.stderr()).toMatch(/\nleadership: .*\n$/);
    expect(command.stderr()).not.toMatch(/\n {4}at /);
  });

  it('passes token and role to the command', async () => {
    await using group = await temporaryGroup(1000);
    await using command = startRun(group, [
      'sh',
      '-c',
      'echo "$LEADERSHIP_ROLE $LEADERSHIP_TOKEN"',
    ]);
    expect(await command.ended).toBe(0);
    expect(command.stdout()).toMatch(/^job \d{16}\n$/);
  });

  it('gives up with 124 if another process leads', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using leader = startRun(group, journal.worker('a'));
    await journal.noted('a', 'start');
    await using other = startRun(group, journal.worker('b'), ['--wait', '1']);
    expect(await other.ended).toBe(124);
    expect(journal.lines('b')).toEqual([]);
    expect(leader.process.exitCode).toBeNull();
  });

  it('ends while it waits, by a signal', async () => {
    await using group = await temporaryGroup(60_000);
    await using command = startRun(group, ['true']);
    // Its handlers are installed before the directory exists.
    await pause(1000);
    command.process.kill('SIGTERM');
    expect([143, 'SIGTERM']).toContain(await command.ended);
  });

  it('passes signals on: SIGHUP need not end the command, SIGTERM ends both', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using command = startRun(group, journal.worker('a'));
    await journal.noted('a', 'start');
    command.process.kill('SIGHUP');
    await journal.noted('a', 'SIGHUP');
    command.process.kill('SIGTERM');
    expect(await command.ended).toBe(0);
    expect(journal.lines('a').at(-1)?.kind).toBe('SIGTERM');
  });

  it('hands over at once when the command crashes', async () => {
    // So long that the test would time out if the successor waited for the lease.
    await using group = await temporaryGroup(20_000);
    const journal = journalIn(group);
    await using first = startRun(group, journal.worker('a'));
    const { pid } = await journal.noted('a', 'start');
    await using second = startRun(group, journal.worker('b'));
    await eventually('it campaigns', () => second.stderr().includes('campaigns for'));
    await pause(3000); // The successor joins the group.
    const killedAtNs = process.hrtime.bigint();
    process.kill(pid, 'SIGKILL');
    expect(await first.ended).toBe(137);
    const { atNs } = await journal.noted('b', 'start');
    expect(Number(atNs - killedAtNs) / 1e6, 'half of T').toBeLessThan(10_000);
    journal.expectExclusive();
  });

  it('kills a command that ignores SIGTERM before another process leads', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using first = startRun(group, journal.worker('a', 'stubborn'), ['--stop-timeout', '2']);
    await journal.noted('a', 'start');
    await using _second = startRun(group, journal.worker('b'));
    first.process.kill('SIGTERM');
    expect(await first.ended).toBe(137);
    expect(journal.lines('a').some(({ kind }) => kind === 'SIGTERM')).toBe(true);
    await journal.noted('b', 'start');
    journal.expectExclusive();
  });

  it('ends what the command has left behind in its group before it hands over', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    const script = '"$@" & while ! [ -s "$JOURNAL" ]; do sleep 0.1; done; exit 3';
    const worker = journal.worker('a', 'stubborn');
    await using first = startCommand(
      [
        'run',
        group.url,
        '--role',
        'job',
        '--stop-timeout',
        '1',
        '--',
        'sh',
        '-c',
        script,
        'sh',
        ...worker,
      ],
      { JOURNAL: worker[2] ?? '' },
    );
    const { pid } = await journal.noted('a', 'start');
    await using _second = startRun(group, journal.worker('b'));
    expect(await first.ended).toBe(3);
    expect(isAlive(pid)).toBe(false);
    await journal.noted('b', 'start');
    journal.expectExclusive();
  });

  it('starts the command again with --restart, in a later term', async () => {
    await using group = await temporaryGroup(1000);
    await using command = startRun(
      group,
      ['sh', '-c', 'echo "token $LEADERSHIP_TOKEN"; exit 1'],
      ['--restart'],
    );
    const tokens = (): readonly string[] => command.stdout().match(/\d{16}/g) ?? [];
    await eventually('three runs', () => tokens().length > 2);
    expect([...tokens()].sort()).toEqual(tokens());
    expect(new Set(tokens()).size).toBe(tokens().length);
    expect(command.process.exitCode).toBeNull();
  });
});

describe.skipIf(process.platform === 'win32')('the watchdog of run', () => {
  it('starts while a lease is overdue, before another member leads, and ends if that is another one', async () => {
    await using group = await temporaryGroup(20_000);
    const journal = journalIn(group);
    await using leader = startRun(group, journal.worker('a'));
    await journal.noted('a', 'start');
    await using b = startRun(group, journal.worker('b'));
    await using c = startRun(group, journal.worker('c'));
    const waiting = { b, c };
    await eventually('both campaign', () =>
      [b, c].every(({ stderr }) => stderr().includes('campaigns for role job')),
    );
    expect([b, c].flatMap(({ pid }) => childrenOf(pid))).toEqual([]);
    // A watchdog that is left would release the lease.
    killWithChildren(leader.pid);
    const spares = await eventually('both have a watchdog', () => {
      const pids = [b, c].map(({ pid }) => childrenOf(pid)[0]);
      return pids.every((pid) => pid !== undefined) && pids;
    });
    expect(b.stderr() + c.stderr(), 'T/3 is left').not.toContain('leads role');
    const { name, pid } = await eventually('one of them starts its command', () =>
      journal.lines().find((line) => line.name !== 'a' && line.kind === 'start'),
    );
    expect(spares.flatMap((spare) => childrenOf(spare ?? 0))).toContain(pid);
    const other = waiting[name === 'b' ? 'c' : 'b'];
    await eventually('that of the other ends', () => childrenOf(other.pid).length === 0);
  }, 120_000);
});

// Who is killed or stopped, while the command ignores SIGTERM.
describe.skipIf(process.platform === 'win32').concurrent('the kill matrix of run', () => {
  interface Scene {
    readonly wrapper: Command;
    readonly worker: number;
  }

  async function play(disturb: (scene: Scene) => void, after?: (scene: Scene) => Promise<void>) {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using wrapper = startRun(group, journal.worker('a', 'stubborn'));
    const { pid: worker } = await journal.noted('a', 'start');
    await using _second = startRun(group, journal.worker('b'));
    await pause(1000);
    const scene = { wrapper, worker };
    try {
      disturb(scene);
      await journal.noted('b', 'start');
      expect(isAlive(worker), 'the command of the first wrapper is alive').toBe(false);
      await after?.(scene);
      journal.expectExclusive();
      return journal.lines();
    } finally {
      if (isAlive(worker)) process.kill(worker, 'SIGKILL');
    }
  }

  it('wrapper killed: the watchdog kills the command before the lease ends', async () => {
    const lines = await play(({ wrapper }) => wrapper.process.kill('SIGKILL'));
    expect(lines.some(({ name, kind }) => name === 'a' && kind === 'SIGTERM')).toBe(true);
  });

  it('wrapper killed, its command ignores SIGTERM: the lease is released only once SIGKILL has ended it', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using first = startRun(group, journal.worker('a', 'stubborn'), ['--stop-timeout', '2']);
    await journal.noted('a', 'start');
    await using _second = startRun(group, journal.worker('b'));
    await pause(thresholdMs);
    first.process.kill('SIGKILL');
    await eventually('the watchdog releases the lease (M10)', () =>
      first.stderr().includes('is dead, and its command has ended: reported'),
    );
    await journal.noted('b', 'start');
    expect(journal.lines('a').some(({ kind }) => kind === 'SIGTERM')).toBe(true);
    journal.expectExclusive();
  });

  it('wrapper stopped past T: the watchdog kills the command before the lease ends', async () => {
    await play(
      ({ wrapper }) => wrapper.process.kill('SIGSTOP'),
      async ({ wrapper }) => {
        wrapper.process.kill('SIGCONT');
        await eventually('the wrapper reports why the command ended', () =>
          wrapper.stderr().includes('the lease was about to end'),
        );
        // It continues as a member that waits.
        expect(wrapper.process.exitCode).toBeNull();
      },
    );
  });

  it('wrapper and command stopped: the command is killed before the lease ends', async () => {
    await play(
      ({ wrapper, worker }) => {
        wrapper.process.kill('SIGSTOP');
        process.kill(worker, 'SIGSTOP');
      },
      async ({ wrapper }) => void wrapper.process.kill('SIGCONT'),
    );
  });

  it('watchdog killed: the wrapper kills the command and fails', async () => {
    await play(
      ({ wrapper }) => {
        for (const watchdog of childrenOf(wrapper.pid)) process.kill(watchdog, 'SIGKILL');
      },
      async ({ wrapper }) => expect(await wrapper.ended).toBe(125),
    );
  });

  it('watchdog stopped, wrapper without a backend: the wrapper kills the command', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    await using wrapper = startRun(group, journal.worker('a', 'stubborn'));
    const { pid } = await journal.noted('a', 'start');
    const watchdogs = childrenOf(wrapper.pid);
    try {
      for (const watchdog of watchdogs) process.kill(watchdog, 'SIGSTOP');
      execFileSync('mv', [`${group.directory}/leases`, `${group.directory}/gone`]);
      await eventually('the command has ended', () => !isAlive(pid));
    } finally {
      // A stopped process would outlive its wrapper, also if this test fails.
      for (const watchdog of watchdogs) process.kill(watchdog, 'SIGCONT');
    }
  });
});
