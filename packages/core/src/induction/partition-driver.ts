// Runs the state machine of one partition: feeds it one input at a time and performs the outputs of
// each step.

import { mailbox } from '../async/mailbox.ts';
import type { Host } from '../contract/backend.ts';
import type { Alarm } from '../time/alarm.ts';
import type { Beat } from './beat.ts';
import type { InductionRules } from './protocol/rules.ts';
import type {
  InductionInput,
  InductionOutput,
  InductionState,
  MemberConfig,
} from './protocol/state.ts';
import { newInduction, stepInduction } from './protocol/step.ts';
import { isBelieving } from './protocol/step-context.ts';

/** What the state machine of a partition needs from its environment. */
export interface DriverContext {
  readonly rules: InductionRules;
  readonly host: Host;
  readonly alarm: Alarm;
  /**
   * Sends the beat, batched with others that are due now. Calls `settled` with false if the beat
   * may not have been written.
   */
  send(beat: Beat, settled: (isWritten: boolean) => void): void;
  /** Sets whether the coordinator should not assign the partition to this member. */
  decline(partition: number, on: boolean): void;
  /** A safety assumption was violated; `rule` detected it. */
  broken(partition: number, rule: 'I2' | 'I5'): void;
  /** The broker's clock was compared with this member's. */
  measured(): void;
}

/** Runs one partition. */
export class PartitionDriver {
  readonly #world: DriverContext;
  readonly #inputs = mailbox<InductionInput>((input) => this.#step(input));
  #state: InductionState;
  #sending = 0;

  constructor(world: DriverContext, self: MemberConfig, partition: number) {
    this.#world = world;
    this.#state = newInduction(self, partition);
  }

  /**
   * The error in the known relation to the broker's clock, in milliseconds; `undefined` before the
   * first comparison.
   */
  get clockErrorMs(): number | undefined {
    return this.#state.clockErrorMs;
  }

  /** Processes one input. Inputs that callbacks feed meanwhile are queued. */
  feed(input: InductionInput): void {
    this.#inputs.feed(input);
  }

  /**
   * Resolves once this member does not lead here and has no beat in flight, or once the signal
   * aborts.
   */
  idle(signal: AbortSignal): Promise<void> {
    return this.#inputs.until(() => !this.#isBusy(), signal);
  }

  /**
   * Resolves once the current term is over, or the signal aborts. A member that loses its term
   * while it drains may begin the next one in the same step. The driver is not idle then, so
   * waiting for idleness would take as long as the later terms.
   */
  ended(signal: AbortSignal): Promise<void> {
    const token = this.#token;
    return this.#inputs.until(
      () =>
        !this.#isBusy() ||
        (token !== undefined && this.#token !== undefined && this.#token !== token),
      signal,
    );
  }

  /** The token of the current term, as of the last step. */
  get #token(): bigint | undefined {
    const { tenure } = this.#state;
    return isBelieving(tenure) ? tenure.token : undefined;
  }

  #isBusy(): boolean {
    return isBelieving(this.#state.tenure) || this.#sending > 0;
  }

  #step(input: InductionInput): void {
    const { rules, alarm, host } = this.#world;
    const { clockErrorMs } = this.#state;
    const moment = { now: host.clock.now(), wallMicros: host.clock.wallMicros() };
    const { state, outputs, wakeAt } = stepInduction(rules, this.#state, input, moment);
    this.#state = state;
    alarm.set(state.partition, wakeAt);
    for (const output of outputs) this.#perform(output);
    if (this.#state.clockErrorMs !== clockErrorMs) this.#world.measured();
  }

  #perform(output: InductionOutput): void {
    const { host } = this.#world;
    const { partition } = this.#state;
    switch (output.kind) {
      case 'beat':
        return this.#send(output.beat);
      case 'granted':
        return this.#granted(output);
      case 'drain':
        return this.#drain();
      case 'released':
        return host.released(partition);
      case 'lost':
        return host.lost(partition, output.reason);
      case 'leader':
        return host.leads(partition, output.leader);
      case 'decline':
        return this.#world.decline(partition, output.on);
      case 'ignored':
        return host.ignored(output.what);
      case 'broken':
        return this.#world.broken(partition, output.rule);
    }
  }

  #send(beat: Beat): void {
    this.#sending += 1;
    this.#world.send(beat, (isWritten) => {
      this.#sending -= 1;
      this.feed(isWritten ? { kind: 'wake' } : { kind: 'unsent', id: beat.id });
    });
  }

  #granted({ token, until, sentAt }: InductionOutput & { readonly kind: 'granted' }): void {
    const answer = this.#world.host.granted({
      partition: this.#state.partition,
      token,
      until,
      sentAt,
    });
    if (answer === 'over') this.feed({ kind: 'fenced', slept: true });
  }

  #drain(): void {
    const token = this.#token;
    void this.#world.host.drain(this.#state.partition).then((end) => {
      // If the term ended in another way meanwhile, ignore the result.
      const now = this.#state.tenure;
      if (now.kind !== 'draining' || now.token !== token) return;
      this.feed(end === 'drained' ? { kind: 'drained' } : { kind: 'fenced', slept: false });
    });
  }
}
