// Starts the watchdog of the next term before that term begins: a program of Node takes longer to start
// than a claim takes. It runs only while a lease is overdue, so a process that stands by costs no second one.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The compiled watchdog, beside this file. */
const program = fileURLToPath(new URL('./watchdog.js', import.meta.url));

/**
 * A lease with less than this share left is overdue. A healthy one is renewed every T/3, and a member may
 * read that T/4 later.
 */
const overdueShare = 1 / 3;
/** With more than this share left it was renewed. */
const renewedShare = 1 / 2;
/** The interval between two readings of the leases, in parts of the longest one, and its limits in milliseconds. */
const readShare = 1 / 20;
const readMs = { min: 20, max: 1000 };

/** Starts a watchdog. It waits for its orders, and ends with this process. */
function startWatchdog(): ChildProcess {
  return fork(program, [], {
    detached: true,
    execArgv: [],
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
}

/** A watchdog that runs already when a term begins, if that was to be expected. */
export class SpareWatchdog implements Disposable {
  readonly #restMs: () => number | undefined;
  #timer: NodeJS.Timeout;
  #spare: ChildProcess | undefined;
  /** The longest rest that was seen: nearly T. Milliseconds. */
  #leaseMs = 0;

  /**
   * @param restMs - returns the shortest rest of the leases that this process waits for; `undefined` if
   *   it waits for none, or does not know
   */
  constructor(restMs: () => number | undefined) {
    this.#restMs = restMs;
    this.#timer = setTimeout(() => this.#read(), readMs.min);
  }

  /** Returns a watchdog for a term that begins. */
  take(): ChildProcess {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare?.connected !== true) return startWatchdog();
    spare.ref();
    spare.channel?.ref();
    return spare;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#drop();
  }

  #read(): void {
    const restMs = this.#restMs();
    this.#leaseMs = Math.max(this.#leaseMs, restMs ?? 0);
    // After the end of the lease no member leads, and the rest is not known: then it is needed most.
    if (restMs !== undefined && restMs > renewedShare * this.#leaseMs) this.#drop();
    else if (restMs !== undefined && restMs < overdueShare * this.#leaseMs) this.#prepare();
    this.#timer = setTimeout(() => this.#read(), this.#pauseMs());
    this.#timer.unref();
  }

  #pauseMs(): number {
    // Some backends know no leases of others.
    if (this.#leaseMs === 0) return readMs.max;
    return Math.min(Math.max(this.#leaseMs * readShare, readMs.min), readMs.max);
  }

  #prepare(): void {
    if (this.#spare?.connected === true) return;
    const spare = startWatchdog();
    // It is not awaited, and one that fails to start is replaced when it is needed.
    spare.once('error', () => undefined);
    spare.unref();
    spare.channel?.unref();
    this.#spare = spare;
  }

  #drop(): void {
    if (this.#spare?.connected === true) this.#spare.disconnect();
    this.#spare = undefined;
  }
}
