import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { eventually } from '@leadership/testkit/adapter';
import { runOnExit } from '@leadership/testkit/faults';
import { describe, expect, it } from 'vitest';
import { type Command, startCommand } from './support/command.ts';

/** T. A busy machine needs a second or two for a release and a claim. Milliseconds. */
const thresholdMs = 6000;

const application = fileURLToPath(new URL('./support/guarded.mjs', import.meta.url));

interface Line {
  readonly kind: string;
  readonly name: string;
  readonly group: string;
  readonly pid: number;
  readonly token: string;
  readonly atNs: bigint;
  /** The end of the lease, as the application knew it. */
  readonly untilNs: bigint;
}

interface Application {
  readonly process: ChildProcess;
  readonly name: string;
}

/** A temporary directory with a folder for the socket of a guard, and applications beside it. */
class Scene implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'leadership-guard-test-'));
  readonly #started: ChildProcess[] = [];
  readonly #guards: Command[] = [];

  async guard(): Promise<Command> {
    const guard = startCommand(['guard', '--listen', this.directory]);
    this.#guards.push(guard);
    await eventually('the guard listens', () => guard.stderr().includes('listens'));
    return guard;
  }

  url(group: string, ms: number = thresholdMs): string {
    return `file:${join(this.directory, 'store')}?group=${group}&partitions=1&thresholdMs=${ms}`;
  }

  /** Starts an application that leads in these groups. */
  start(name: string, place: 'main' | 'thread' | 'cluster', urls: readonly string[]): Application {
    const child = spawn(process.execPath, [application, this.directory, name, place, ...urls], {
      env: { ...process.env, LEADERSHIP_GUARD: join(this.directory, 'guard.sock') },
      stdio: 'ignore',
      detached: true,
    });
    const onExit = runOnExit('kill -KILL -- "-$0"', String(child.pid ?? 0));
    child.once('exit', () => onExit[Symbol.dispose]());
    this.#started.push(child);
    return { process: child, name };
  }

  order(name: string, order: string): void {
    writeFileSync(join(this.directory, `${name}.order`), order);
  }

  lines(): readonly Line[] {
    const path = join(this.directory, 'journal');
    return (existsSync(path) ? readFileSync(path, 'utf8') : '')
      .split('\n')
      .filter((text) => text.endsWith('}'))
      .map((text) => {
        const line = JSON.parse(text);
        return { ...line, atNs: BigInt(line.atNs), untilNs: BigInt(line.untilNs) };
      });
  }

  noted(name: string, kind: string, group = name): Promise<Line> {
    const isIt = (line: Line): boolean =>
      line.name === name && line.kind === kind && line.group === group;
    return eventually(`${name} notes "${kind}" in ${group}`, () => this.lines().find(isIt), {
      withinMs: 60_000,
    });
  }

  /** Returns the last known end of the lease of that application in the group of its name. */
  leaseEndNs(name: string): bigint {
    const ends = this.lines().filter((line) => line.name === name && line.untilNs > line.atNs);
    return ends.reduce((latest, { untilNs }) => (untilNs > latest ? untilNs : latest), 0n);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#started)
      if (child.exitCode === null && child.signalCode === null)
        try {
          process.kill(-(child.pid ?? 0), 'SIGKILL');
        } catch {
          // It has ended meanwhile.
        }
    for (const guard of this.#guards) await guard[Symbol.asyncDispose]();
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** How an application dies, and where its source runs. */
const deaths = [
  ['killed', 'main'],
  ['throw', 'main'],
  ['exit', 'main'],
  ['killed-cluster', 'cluster'],
  ['killed-thread', 'thread'],
] as const;

/** What does not prove a death. */
const mistakes = [
  ['stopped', 'main'],
  ['block', 'main'],
  ['close-connection', 'main'],
  ['close-listener', 'main'],
  ['unlink', 'main'],
  ['terminated', 'thread'],
] as const;

describe.runIf(process.platform === 'linux')('guard', () => {
  it('releases the lease of a dead process at once, and of no other process early (L13 to L16)', async () => {
    await using scene = new Scene();
    const guard = await scene.guard();
    const victims = [...deaths, ...mistakes].map(([name, place]) =>
      scene.start(name, place, [scene.url(name)]),
    );
    const processOf = (name: string): ChildProcess => {
      const victim = victims.find((one) => one.name === name);
      if (victim === undefined) throw new Error(`no application ${name}`);
      return victim.process;
    };
    for (const { name } of victims) await scene.noted(name, 'lead');
    const reborn = scene.start('reborn', 'main', [scene.url('reborn')]);
    await scene.noted('reborn', 'lead');
    const groups = victims.map(({ name }) => name);
    scene.start(
      'successor',
      'main',
      groups.map((group) => scene.url(group)),
    );
    for (const group of groups) await scene.noted('successor', 'ready', group);
    // It leads T after its start, so that all other terms are older than T then.
    const young = scene.start('young', 'main', [scene.url('young')]);
    await scene.noted('young', 'lead');

    processOf('killed').kill('SIGKILL');
    const { pid } = await scene.noted('killed-cluster', 'lead');
    process.kill(pid, 'SIGKILL');
    processOf('killed-thread').kill('SIGKILL');
    processOf('stopped').kill('SIGSTOP');
    writeFileSync(join(scene.directory, 'terminated.terminate'), '');
    for (const name of ['throw', 'exit', 'block', 'close-connection', 'close-listener', 'unlink'])
      scene.order(name, name);
    young.process.kill('SIGKILL');
    scene.start('heir', 'main', [scene.url('young')]);
    reborn.process.kill('SIGKILL');
    scene.start('reborn', 'main', [scene.url('reborn')]);

    for (const [name] of deaths) {
      const { atNs } = await scene.noted('successor', 'lead', name);
      expect(atNs, `${name}: led before the lease had ended`).toBeLessThan(scene.leaseEndNs(name));
    }
    for (const [name] of mistakes) {
      const { atNs } = await scene.noted('successor', 'lead', name);
      expect(atNs, `${name}: waited for the lease`).toBeGreaterThanOrEqual(scene.leaseEndNs(name));
    }
    const { atNs } = await scene.noted('heir', 'lead', 'young');
    expect(atNs, 'young: waited for the lease').toBeGreaterThanOrEqual(scene.leaseEndNs('young'));
    // The death of the first process says nothing about the second one, which has the same name.
    const terms = scene.lines().filter((line) => line.name === 'reborn' && line.kind === 'lead');
    expect(terms.map(({ pid }) => pid).length, 'terms of reborn').toBe(2);
    await eventually('the guard reports what it could not prove', () =>
      guard.stderr().includes('does not prove its death'),
    );
  }, 180_000);
});
