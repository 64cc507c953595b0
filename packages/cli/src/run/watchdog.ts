// The program of the watchdog: a small process between `leadership run` and the command. It is the
// parent of the command, and kills the command's process group before the lease ends, unless the
// wrapper has reported a renewal. So a wrapper that is killed, stopped or blocked cannot leave a
// command behind that outlives its lease. After the death of the wrapper it releases the leases, once the
// command has ended: it is the child of the one and the parent of the other, so it knows both (decision
// 0229). It has a session of its own, so that a signal for the wrapper's group or a closed terminal does
// not end it first.
import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type CommandSpec,
  type Deadlines,
  type EndCause,
  monotonicMs,
  type Order,
  type Report,
  type WrapperSpec,
} from './messages.ts';
import { groupEnded, lateText, signalGroup } from './process-group.ts';

/** How often the end of the wrapper is checked. Milliseconds. */
const pollMs = 10;
/** A process that is killed ends within milliseconds, on a busy machine within a second. Milliseconds. */
const lateMs = 5000;
/** For how long after the last deadline leases are released. Others claim then without that. */
const releaseMsMax = 1000;

class Watchdog {
  #group: number | undefined;
  #deadlines: Deadlines = { termAtMs: 0, killAtMs: 0 };
  /** When SIGKILL follows a SIGTERM. Milliseconds. */
  #graceEndsAtMs = Number.POSITIVE_INFINITY;
  #graceMs = 0;
  #cause: EndCause = 'itself';
  /** When SIGKILL was sent first. Milliseconds. */
  #killedAtMs = Number.POSITIVE_INFINITY;
  #isEnded = false;
  #timer: NodeJS.Timeout | undefined;
  /** Known since the command was started. */
  #wrapper: WrapperSpec | undefined;
  /** Whether this process is the child of the wrapper, so that it learns of its death. */
  #isChild = false;
  #isOrphan = false;
  #hasReported = false;

  receive(order: Order): void {
    if (order.kind === 'start') this.#start(order);
    else if (order.kind === 'extend') this.#extend(order);
    else if (order.kind === 'signal') this.#signal(order.signal);
    else if (order.kind === 'stop') this.#stop('stopped', order.signal, order.graceMs);
    else this.#kill('stopped');
  }

  /**
   * Ends the command, because its wrapper has ended. Nothing extends the lease any more. The leases are
   * released once no process can use them.
   */
  orphan(): void {
    // Others may know of the report: another command may run by now, and have the leases.
    if (this.#wrapper === undefined || this.#hasReported) process.exit();
    this.#isOrphan = true;
    // The reader of its messages may be gone.
    process.stderr.on('error', () => undefined);
    void this.#untilLeaseEnded().then(() => this.#cease());
    if (this.#isEnded) this.#leave();
    else this.#stop('expired', 'SIGTERM', this.#graceMs);
  }

  #start({ spec, wrapper, termAtMs, killAtMs }: Order & { readonly kind: 'start' }): void {
    this.#wrapper = wrapper;
    this.#isChild = process.ppid === wrapper.pid;
    this.#graceMs = spec.graceMs;
    this.#deadlines = { termAtMs, killAtMs };
    if (monotonicMs() >= termAtMs) {
      this.#end({ kind: 'ended', code: null, signal: 'SIGKILL', cause: 'expired' });
      return;
    }
    const failed = ({ code = 'unknown', message }: NodeJS.ErrnoException): void =>
      this.#end({ kind: 'failed', code, message });
    const child = spawned(spec, failed);
    if (child === undefined) return;
    child.once('error', (error) => {
      if (child.pid === undefined) failed(error);
    });
    if (child.pid !== undefined) this.#watch(child, child.pid);
  }

  #watch(child: ChildProcess, pid: number): void {
    this.#group = pid;
    send({ kind: 'started', pid });
    child.once('exit', (code, signal) => {
      const cause = this.#cause;
      // Processes that the command has left behind in its group must not act without the lease either.
      this.#stop(this.#cause, 'SIGTERM', this.#graceMs);
      void groupEnded(pid, () => this.#killedAtMs).then(() =>
        this.#end({ kind: 'ended', code, signal, cause }),
      );
    });
    this.#arm();
  }

  #extend({ termAtMs, killAtMs }: Deadlines): void {
    this.#deadlines = { termAtMs, killAtMs };
    this.#arm();
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#group !== undefined && !this.#isEnded) signalGroup(this.#group, signal);
  }

  #stop(cause: EndCause, signal: NodeJS.Signals, graceMs: number): void {
    if (this.#graceEndsAtMs !== Number.POSITIVE_INFINITY) return;
    this.#graceEndsAtMs = monotonicMs() + graceMs;
    this.#cause = cause;
    this.#signal(signal);
    // A stopped process receives the signal when it continues.
    this.#signal('SIGCONT');
    this.#arm();
  }

  #kill(cause: EndCause): void {
    if (!this.#isKilled() && this.#graceEndsAtMs === Number.POSITIVE_INFINITY) this.#cause = cause;
    if (!this.#isKilled()) {
      this.#killedAtMs = monotonicMs();
      setTimeout(() => this.#sayLate(), lateMs);
    }
    this.#graceEndsAtMs = 0;
    this.#signal('SIGKILL');
  }

  #isKilled(): boolean {
    return this.#killedAtMs !== Number.POSITIVE_INFINITY;
  }

  /** Says why the lease is kept, or lapses, although the command was killed. */
  #sayLate(): void {
    if (this.#group === undefined || this.#isEnded) return;
    // Not with `say`, which imports core: this process starts in the middle of a hand-over.
    process.stderr.write(`leadership: ${lateText(this.#group)}\n`);
  }

  /** Sets the timer for the next deadline. */
  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#isEnded || this.#isKilled() || this.#group === undefined) return;
    const { termAtMs, killAtMs } = this.#deadlines;
    const isStopping = this.#graceEndsAtMs !== Number.POSITIVE_INFINITY;
    const at = isStopping ? Math.min(this.#graceEndsAtMs, killAtMs) : Math.min(termAtMs, killAtMs);
    this.#timer = setTimeout(() => this.#due(), Math.max(0, at - monotonicMs()));
  }

  #due(): void {
    const now = monotonicMs();
    if (now >= Math.min(this.#graceEndsAtMs, this.#deadlines.killAtMs)) this.#kill('expired');
    else if (now >= this.#deadlines.termAtMs) this.#stop('expired', 'SIGTERM', this.#graceMs);
    this.#arm();
  }

  #end(report: Report): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    if (this.#isOrphan) return this.#leave();
    // If the channel has closed, the event `disconnect` follows.
    if (!process.connected) return;
    this.#hasReported = true;
    process.send?.(report, () => process.exit());
  }

  /** A service manager may signal all processes of a service. The wrapper decides what follows, if it lives. */
  interrupted(): void {
    if (this.#isOrphan && this.#isEnded) process.exit();
  }

  /** Releases the leases of the wrapper, whose command has ended, and exits. */
  #leave(): void {
    this.#release().then(
      () => process.exit(),
      () => process.exit(),
    );
  }

  /**
   * Exits, because nothing is left to release: others claim now. Without that, a command that SIGKILL does not
   * end, because it waits in the kernel, would keep this process for as long. It ends as soon as that wait does.
   */
  #cease(): void {
    if (!this.#isEnded) {
      this.#kill('expired');
      this.#sayLate();
    }
    process.exit();
  }

  async #release(): Promise<void> {
    const { pid, member } = this.#wrapper ?? {};
    // The channel closes before the wrapper has ended. A process has another parent once its own is dead.
    while (process.ppid === pid) await pause(pollMs);
    if (member === undefined || !this.#isChild) return;
    // Not before: to load a backend takes long, and nothing may delay the end of the command.
    const { releaseDead } = await import('./release-dead.ts');
    await releaseDead(member);
  }

  async #untilLeaseEnded(): Promise<void> {
    const endsAtMs = this.#deadlines.killAtMs + releaseMsMax;
    while (monotonicMs() < endsAtMs) await pause(endsAtMs - monotonicMs());
  }
}

/** Starts the command. Node throws some errors, and emits others. */
function spawned(
  { command, args, env }: CommandSpec,
  failed: (error: NodeJS.ErrnoException) => void,
): ChildProcess | undefined {
  try {
    return spawn(command, args, {
      detached: true,
      env: { ...process.env, ...env },
      stdio: 'inherit',
    });
  } catch (error) {
    failed(error as NodeJS.ErrnoException);
    return undefined;
  }
}

function send(report: Report): void {
  // It fails if the wrapper has ended; the event `disconnect` follows.
  if (process.connected) process.send?.(report, () => undefined);
}

const watchdog = new Watchdog();
process.on('message', (order) => watchdog.receive(order as Order));
process.on('disconnect', () => watchdog.orphan());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => watchdog.interrupted());
