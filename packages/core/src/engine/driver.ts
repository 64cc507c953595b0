// Runs the pure state machine of any protocol in a process: steps it for each input, schedules its
// next wake-up, and performs its outputs in order.
import { nextWake } from '../async/latest-value.ts';
import { type Clock, type Moment, momentOf } from '../time/clock.ts';
import type { Instant } from '../time/instant.ts';

/** The input at the time that the last step named. */
export interface WakeInput {
  readonly kind: 'wake';
}

/** The result of a step. */
interface Step<State, Output> {
  readonly state: State;
  readonly outputs: readonly Output[];
  /** The latest instant of the next input. */
  readonly wakeAt: Instant;
}

/** The outputs that have not been performed yet. */
export interface OutputQueue<State, Output> {
  /** Appends the outputs of the step from `before` to `after`. */
  put(outputs: readonly Output[], before: State, after: State): void;
  /** Removes and returns the next output, unless it has to wait. */
  next(): Output | undefined;
}

/** Creates a timer that calls `due`. The result sets when, replacing the previous time. */
export type NewTimer = (due: () => void) => (at: Instant) => void;

/** A machine, and its environment. */
export interface DriverParts<State, Input, Output> {
  readonly clock: Clock;
  readonly timer: NewTimer;
  /** The state before the first input. */
  readonly state: State;
  readonly step: (state: State, input: Input | WakeInput, moment: Moment) => Step<State, Output>;
  readonly perform: (output: Output) => void;
  /** Default: no output waits. */
  readonly queue?: OutputQueue<State, Output>;
}

/** Drives one machine. */
export class Driver<State, Input, Output> {
  readonly #parts: DriverParts<State, Input, Output>;
  readonly #queue: OutputQueue<State, Output>;
  readonly #wakeAt: (at: Instant) => void;
  readonly #changed = new Set<() => void>();
  #state: State;
  #isPerforming = false;

  constructor(parts: DriverParts<State, Input, Output>) {
    this.#parts = parts;
    this.#queue = parts.queue ?? firstInFirstOut();
    this.#state = parts.state;
    this.#wakeAt = parts.timer(() => this.feed({ kind: 'wake' }));
  }

  /** The state after the last step. */
  get state(): State {
    return this.#state;
  }

  /**
   * Processes one input at once, and returns the outputs. They are performed after those of all
   * earlier inputs, so an input that comes from within an output takes effect before the rest of
   * that step is performed. Outputs are queued and not inputs: a caller such as `edict` needs the
   * result of its input at once, and every input is stepped at the time at which it happened.
   */
  feed(input: Input | WakeInput): readonly Output[] {
    const before = this.#state;
    const { clock, step } = this.#parts;
    const { state, outputs, wakeAt } = step(before, input, momentOf(clock));
    this.#state = state;
    this.#wakeAt(wakeAt);
    this.#queue.put(outputs, before, state);
    this.proceed();
    return outputs;
  }

  /** Performs the outputs that need not wait any longer. */
  proceed(): void {
    if (this.#isPerforming) return;
    this.#isPerforming = true;
    try {
      for (let next = this.#queue.next(); next !== undefined; next = this.#queue.next())
        this.#parts.perform(next);
    } finally {
      this.#isPerforming = false;
    }
    for (const wake of this.#changed) wake();
  }

  /**
   * Resolves once `holds` returns `true` while no output is being performed, or once the signal
   * aborts. Calls `holds` after every step.
   */
  async until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (this.#isPerforming || !holds()))
      await nextWake(this.#changed, signal);
  }
}

function firstInFirstOut<Output>(): OutputQueue<unknown, Output> {
  const waiting: Output[] = [];
  let performed = 0;
  return {
    put(outputs) {
      for (const output of outputs) waiting.push(output);
    },
    next() {
      if (performed < waiting.length) {
        performed += 1;
        return waiting[performed - 1];
      }
      waiting.length = 0;
      performed = 0;
      return undefined;
    },
  };
}
