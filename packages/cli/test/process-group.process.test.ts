// When the process group of a command counts as ended: nothing else says when its lease may be released
// early (decision 0229). The processes are real, because the answers are those of the kernel.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { hasPython } from '@leadership/tools/python';
import { describe, expect, it } from 'vitest';
import { groupIsGone, lateText, signalGroup } from '../src/run/process-group.ts';

const program = fileURLToPath(new URL('./support/endless.py', import.meta.url));

/** A running program of `endless.py`. Disposing ends all its processes, and removes its folder. */
class Endless implements AsyncDisposable {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
  readonly #folder = mkdtempSync(join(tmpdir(), 'leadership-process-group-'));

  constructor(mode: 'threads' | 'chain') {
    this.process = spawn('python3', [program, mode, this.#folder], {
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    this.ended = new Promise((resolve) => this.process.once('exit', () => resolve()));
  }

  has(name: string): boolean {
    return existsSync(join(this.#folder, name));
  }

  read(name: string): string {
    return readFileSync(join(this.#folder, name), 'utf8');
  }

  /** Asks all its processes to end. */
  async stop(): Promise<void> {
    writeFileSync(join(this.#folder, 'stop'), '');
    await this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

describe.runIf(process.platform === 'linux' && hasPython())('a process group of a command', () => {
  it('is not gone while a process whose main thread has ended has other threads, which are not killed', async () => {
    await using endless = new Endless('threads');
    const group = endless.process.pid ?? 0;
    await eventually('its main thread has ended', () =>
      / Z /.test(readFileSync(`/proc/${group}/stat`, 'utf8')),
    );
    expect(groupIsGone(group)).toBe(false);
    await endless.stop();
    expect(endless.has('done'), 'its other thread ended by itself').toBe(true);
    expect(groupIsGone(group)).toBe(true);
  });

  it('is gone only once no process is left that was started while the others were counted', async () => {
    await using endless = new Endless('chain');
    await eventually('the chain runs', () => endless.has('group'));
    const group = Number(endless.read('group'));
    await eventually('the group is gone', () => groupIsGone(group));
    await endless.stop();
    expect(endless.has('survived'), 'a process of the group went on').toBe(false);
  });
});

/** Two users that are not root: this process signals as one of them, and the command runs as the other. */
const [own, other] = [65_533, 65_534] as const;

describe.runIf(process.platform === 'linux' && process.geteuid?.() === 0)('a command', () => {
  it('of another user, which cannot be signalled, has not ended, and its user is named as the remedy', async () => {
    const command = spawn('sleep', ['600'], { detached: true, uid: other, stdio: 'ignore' });
    const ended = new Promise((resolve) => command.once('exit', resolve));
    const group = command.pid ?? 0;
    process.seteuid?.(own);
    try {
      signalGroup(group, 'SIGKILL');
      expect(groupIsGone(group)).toBe(false);
      expect(lateText(group)).toMatch(/process \d+ \(state \w\).*end it as that user/);
    } finally {
      process.seteuid?.(0);
      signalGroup(group, 'SIGKILL');
    }
    await ended;
    expect(groupIsGone(group)).toBe(true);
  });
});
