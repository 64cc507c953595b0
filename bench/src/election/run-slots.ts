// Measures how long one of the commands of `leadership run --slots` is missing after its `leadership` was
// killed, beside the time that the lease of the killed process would have lasted. Seven processes share
// three slots of a group on files. One of the three is killed at a random moment between two renewals, its
// watchdog ends the command and releases the lease, and another process takes its place.
import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { runOnExit } from '@leadership/testkit/faults';
import { temporaryDirectory } from '@leadership/testkit/internal';
import { median, quantile } from '../measure/statistics.ts';
import { figuresOf, type Report, type Runs } from '../report/figures.ts';

const command = fileURLToPath(new URL('../../../packages/cli/lib/main.js', import.meta.url));
const slots = 3;
const processes = 7;
/** The target: T, whatever a claim and the start of a command take. In T. */
const limit = 1;
/** The interval between two checks whether a command runs again. Milliseconds. */
const pollMs = 1;

/** A process of `leadership run`. */
interface Wrapper {
  readonly member: string;
  readonly process: ChildProcess;
  /** When it began to lead, and when its command acted first. Milliseconds of `performance.now()`. */
  ledAt: number | undefined;
  actedAt: number | undefined;
}

/** The time without a third command, and what belongs to it. Milliseconds. */
interface Outage {
  readonly totalMs: number;
  /** The rest of the lease of the killed process: without its watchdog, others would wait for it. */
  readonly leaseMs: number;
  /** Until another process led: the command ends, the watchdog releases the lease, and others claim. */
  readonly claimMs: number;
  /** From then until its command acted: a watchdog and the command start. */
  readonly startMs: number;
}

/** Runs the benchmark. */
export async function runSlots({ runs, thresholdMs }: Runs): Promise<Report> {
  await using home = await temporaryDirectory();
  await using group = new Slots(home.path, thresholdMs);
  await group.complete();
  await pause(2 * thresholdMs);
  const outages: Outage[] = [];
  while (outages.length < runs) {
    await pause((thresholdMs * (1 + Math.random())) / 3);
    outages.push(await group.outage());
    await group.complete();
  }
  const totals = outages.map(({ totalMs }) => totalMs);
  const within = totals.filter((ms) => ms <= thresholdMs).length;
  const parts = { leaseMs: 'rest of the lease', claimMs: 'until another leads' } as const;
  return {
    figures: figuresOf(totals, {
      name: 'run-slots',
      unit: 'ms',
      by: 'p99',
      baseline: thresholdMs,
      limit,
    }),
    against: 'T',
    notes: [
      `three commands again within T: ${within} of ${runs}`,
      ...Object.entries({ ...parts, startMs: 'start of the command' } as const).map(
        ([name, title]) => {
          const values = outages.map((one) => one[name as keyof Outage]);
          return `${title}: p50 ${median(values).toFixed()} ms, least ${quantile(values, 0).toFixed()} ms, worst ${quantile(values, 1).toFixed()} ms`;
        },
      ),
    ],
  };
}

/** The processes of the group. */
class Slots implements AsyncDisposable {
  readonly #directory: string;
  readonly #thresholdMs: number;
  readonly #wrappers: Wrapper[] = [];
  #started = 0;

  constructor(directory: string, thresholdMs: number) {
    this.#directory = directory;
    this.#thresholdMs = thresholdMs;
  }

  /** Starts processes until there are as many as should be. Resolves once each slot is taken. */
  async complete(): Promise<void> {
    while (this.#wrappers.length < processes) this.#wrappers.push(this.#start());
    while (this.#acting.length < slots) await pause(pollMs);
  }

  /** Kills one of those that lead. Resolves once another command acts in its place. */
  async outage(): Promise<Outage> {
    const acting = this.#acting;
    const victim = acting[Math.floor(Math.random() * acting.length)];
    if (victim === undefined) throw new Error('no process leads');
    this.#wrappers.splice(this.#wrappers.indexOf(victim), 1);
    const [killedAt, killedWallMs] = [performance.now(), Date.now()];
    victim.process.kill('SIGKILL');
    const ageMs = killedWallMs - (await this.#renewedAt(victim.member));
    const isNext = ({ actedAt = 0 }: Wrapper): boolean => actedAt > killedAt;
    let next = this.#acting.find(isNext);
    while (next === undefined) {
      await pause(pollMs);
      next = this.#acting.find(isNext);
    }
    const { ledAt = 0, actedAt = 0 } = next;
    const leaseMs = this.#thresholdMs - ageMs;
    return {
      totalMs: actedAt - killedAt,
      leaseMs,
      claimMs: ledAt - killedAt,
      startMs: actedAt - ledAt,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#wrappers.map(async ({ process: child }) => {
        const exited = new Promise((resolve) => child.once('exit', resolve));
        if (child.exitCode === null) child.kill('SIGTERM');
        await exited;
      }),
    );
  }

  get #acting(): readonly Wrapper[] {
    return this.#wrappers.filter(({ actedAt }) => actedAt !== undefined);
  }

  #start(): Wrapper {
    this.#started += 1;
    const member = `m${this.#started}`;
    const url = `file:${join(this.#directory, 'leases')}?group=slots&thresholdMs=${this.#thresholdMs}&member=${member}`;
    const script = 'echo acts; exec sleep 600';
    const options = ['--stop-timeout', '1', '--slots', String(slots)];
    const child = spawn(
      process.execPath,
      [command, 'run', url, ...options, '--', 'sh', '-c', script],
      {
        env: { ...process.env, LEADERSHIP_RUN_DIR: this.#directory },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const cleanup = runOnExit('kill -KILL "$0"', String(child.pid ?? 0));
    child.once('exit', () => cleanup[Symbol.dispose]());
    const wrapper: Wrapper = { member, process: child, ledAt: undefined, actedAt: undefined };
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('leads slot')) wrapper.ledAt = performance.now();
    });
    createInterface({ input: child.stdout }).on('line', () => {
      wrapper.actedAt = performance.now();
    });
    return wrapper;
  }

  /** Returns when the latest renewal of a member was sent, by the wall clock. */
  async #renewedAt(member: string): Promise<number> {
    const folder = join(this.#directory, 'leases', 'slots', 'rows');
    const names = (await readdir(folder)).filter((name) => name.startsWith('session'));
    const texts = await Promise.all(
      names.map((name) => readFile(join(folder, name), 'utf8').catch(() => '')),
    );
    const times = texts
      .filter((text) => text.includes(`"member":"${member}"`))
      .map((text) => Number(/"at":(\d+)/.exec(text)?.[1]));
    return Math.max(...times);
  }
}
