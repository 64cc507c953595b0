// Starts the command of `leadership run` below its watchdog, for one term.
import type { ChildProcess } from 'node:child_process';
import type { Term } from '@leadership/core';
import {
  type CommandSpec,
  type Deadlines,
  type Ended,
  monotonicMs,
  type Order,
  type Report,
  type WrapperSpec,
} from './messages.ts';
import { groupEnded, signalGroup } from './process-group.ts';

/**
 * The part of the lease that is left when SIGKILL is sent. A process that is killed stops when the
 * kernel schedules it next, and the timer of the watchdog may be late on a busy machine: both take
 * milliseconds, rarely tens of milliseconds. A tenth of T is 300 ms by default. It must be small
 * compared with the two thirds of T that are left when a healthy leader renews.
 */
const killShare = 1 / 10;
/** Above it, a longer margin would only shorten the lease. Milliseconds. */
const killMarginMsMax = 1000;

/**
 * The part of the lease that is left when SIGTERM is sent. Until then the member has tried to renew
 * for five twelfths of T, so the backend is probably unavailable.
 */
const termShare = 1 / 4;

/** How often the deadline is read, in parts of T, and the limits of the interval in milliseconds. */
const readShare = 1 / 20;
const readMs = { min: 10, max: 1000 };

/** The command could not be started. */
export class StartError extends Error {
  override readonly name = 'StartError';
  /** The code of the system, such as `ENOENT`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * One run of the command in one term, through a watchdog. `ended` resolves once no process of the
 * command's group is left. It rejects with a `StartError` if the command did not start, and with
 * another error if the watchdog ended first; no process of the group is left in both cases.
 */
export class CommandRun {
  readonly ended: Promise<Ended>;
  readonly #term: Term;
  readonly #spec: CommandSpec;
  readonly #watchdog: ChildProcess;
  readonly #timer: NodeJS.Timeout;
  #group: number | undefined;
  /** The longest remaining lease that was read: nearly T. Milliseconds. */
  #leaseMs = 0;
  #killAtMs = 0;
  #isOver = false;

  constructor(spec: CommandSpec, term: Term, watchdog: ChildProcess, wrapper: WrapperSpec) {
    this.#term = term;
    this.#spec = spec;
    this.#watchdog = watchdog;
    this.ended = this.#follow();
    this.#send({ kind: 'start', spec, wrapper, ...this.#deadlines() });
    const everyMs = Math.min(Math.max(this.#leaseMs * readShare, readMs.min), readMs.max);
    this.#timer = setInterval(() => this.#check(), everyMs);
    const stopTiming = (): void => {
      clearInterval(this.#timer);
    };
    this.ended.then(stopTiming, stopTiming);
  }

  /** Passes a signal on to the command. */
  signal(signal: NodeJS.Signals): void {
    this.#send({ kind: 'signal', signal });
  }

  /** Asks the command to end, and kills it if it has not ended in time. */
  stop(signal: NodeJS.Signals): void {
    this.#send({ kind: 'stop', signal, graceMs: this.#spec.graceMs });
  }

  /** Kills the command now: through the watchdog, and directly, in case the watchdog is stopped. */
  kill(): void {
    this.#send({ kind: 'kill' });
    // The event loop reads pending messages before the second immediate: if the command has ended
    // already, its id may belong to another process.
    setImmediate(() => setImmediate(() => this.#killDirectly()));
  }

  #killDirectly(): void {
    if (this.#group !== undefined && !this.#isOver) signalGroup(this.#group, 'SIGKILL');
  }

  #check(): void {
    const before = this.#killAtMs;
    const deadlines = this.#deadlines();
    if (deadlines.killAtMs > before) this.#send({ kind: 'extend', ...deadlines });
    if (monotonicMs() >= this.#killAtMs) this.kill();
  }

  /** Computes when the command must have ended, from the deadline of the term. */
  #deadlines(): Deadlines {
    // The clock is read first, so that a pause between the two lines makes the deadlines earlier.
    const nowMs = monotonicMs();
    const remainingMs = this.#term.remainingMs();
    this.#leaseMs = Math.max(this.#leaseMs, remainingMs);
    const marginMs = Math.min(this.#leaseMs * killShare, killMarginMsMax);
    const killAtMs = nowMs + remainingMs - marginMs;
    this.#killAtMs = Math.max(this.#killAtMs, killAtMs);
    return { killAtMs, termAtMs: nowMs + remainingMs - this.#leaseMs * termShare };
  }

  #send(order: Order): void {
    // It fails if the watchdog has ended; its end is handled where it is noticed.
    if (this.#watchdog.connected) this.#watchdog.send(order, () => undefined);
  }

  #follow(): Promise<Ended> {
    return new Promise((resolve, reject) => {
      this.#watchdog.on('message', (message) => {
        const report = message as Report;
        this.#isOver = report.kind !== 'started';
        if (report.kind === 'started') this.#group = report.pid;
        if (report.kind === 'ended') resolve(report);
        if (report.kind === 'failed') reject(new StartError(report.code, report.message));
      });
      this.#watchdog.once('error', reject);
      this.#watchdog.once('exit', (code, signal) => {
        if (this.#isOver) return;
        const error = new Error(`the watchdog ended unexpectedly (${signal ?? `code ${code}`})`);
        void this.#killGroup().then(() => reject(error));
      });
    });
  }

  async #killGroup(): Promise<void> {
    const group = this.#group;
    if (group === undefined) return;
    signalGroup(group, 'SIGKILL');
    const killedAtMs = monotonicMs();
    await groupEnded(group, () => killedAtMs);
  }
}
