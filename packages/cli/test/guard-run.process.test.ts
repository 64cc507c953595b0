import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { describe, expect, it } from 'vitest';
import { startCommand } from './support/command.ts';
import { type Group, temporaryGroup } from './support/group.ts';
import { journalIn } from './support/journal.ts';
import { Scene } from './support/scene.ts';

const program = fileURLToPath(new URL('../lib/main.js', import.meta.url));

/** T. The guard releases no term that is younger. Milliseconds. */
const thresholdMs = 6000;

/** The arguments of a `run` whose command has longer to end than its lease lasts. */
function runOf({ url }: Group, command: readonly string[]): readonly string[] {
  return ['run', url, '--role', 'job', '--stop-timeout', '20', '--', ...command];
}

/** Returns the process whose command line begins with these words. */
function processOf(...words: readonly string[]): number | undefined {
  const all = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,args='], { encoding: 'utf8' });
  const lines = all.split('\n').map((line) => line.trim());
  const found = lines.find((line) => line.replace(/^\d+ +/, '').startsWith(words.join(' ')));
  return found === undefined ? undefined : Number.parseInt(found, 10);
}

// They wait for leases most of the time, so they run at once.
describe.runIf(process.platform === 'linux').concurrent('guard and run', () => {
  it('a guard around run releases nothing when run is killed: its command may still work (L13)', async () => {
    await using group = await temporaryGroup(thresholdMs);
    const journal = journalIn(group);
    const first = runOf(group, journal.worker('a', 'stubborn'));
    await using guard = startCommand(['guard', '--', process.execPath, program, ...first]);
    await journal.noted('a', 'start');
    const wrapper = await eventually('run is found', () =>
      processOf(process.execPath, program, 'run', group.url),
    );
    await using _second = startCommand(runOf(group, journal.worker('b')));
    await pause(thresholdMs + 1000);
    process.kill(wrapper, 'SIGKILL');
    await guard.ended;
    await journal.noted('b', 'start');
    journal.expectExclusive();
    expect(guard.stderr()).toMatch(/does not guard member .*: its work runs in another process/);
  }, 120_000);

  it('nor does a guard beside run; the command inherits the address of the guard', async () => {
    await using scene = new Scene();
    await using group = await temporaryGroup(thresholdMs);
    const guard = await scene.guard();
    const env = { LEADERSHIP_GUARD: join(scene.directory, 'guard.sock') };
    const journal = journalIn(group);
    await using first = startCommand(runOf(group, journal.worker('a', 'stubborn')), env);
    await journal.noted('a', 'start');
    await using _second = startCommand(runOf(group, journal.worker('b')), env);
    await using other = await temporaryGroup(thresholdMs);
    await using echo = startCommand(runOf(other, ['sh', '-c', 'echo "$LEADERSHIP_GUARD"']), env);
    await echo.printed(env.LEADERSHIP_GUARD);
    await pause(thresholdMs + 1000);
    first.process.kill('SIGKILL');
    await journal.noted('b', 'start');
    journal.expectExclusive();
    expect(guard.stderr()).toContain('its work runs in another process');
    expect(guard.stderr()).not.toContain('is dead');
  }, 120_000);
});
