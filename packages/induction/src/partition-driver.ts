// Runs the state machine of one partition of a `continuous` group (`protocol/step.ts`): performs
// the outputs of its steps over the broker.

import type { Host } from '@leadership/core/adapter';
import { Driver, type NewTimer, Terms } from '@leadership/core/internal/engine';
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

/** The environment of the state machine of a partition. */
export interface DriverContext {
  readonly rules: InductionRules;
  readonly host: Host;
  readonly timer: NewTimer;
  /**
   * Sends the beat, batched with others that are due now. Calls `settled` with false if the beat
   * may not have been written.
   */
  send(beat: Beat, settled: (isWritten: boolean) => void): void;
  /** Sets whether the coordinator should not assign the partition to this member. */
  decline(partition: number, on: boolean): void;
  /** Sets whether no beat of this member on the partition comes back (I9). */
  unreturned(partition: number, on: boolean): void;
  /** A safety assumption was violated; `rule` detected it. */
  broken(partition: number, rule: 'I2' | 'I5'): void;
  /** The broker's clock was compared with this member's. */
  measured(): void;
}

/** Runs one partition. */
export class PartitionDriver {
  readonly #context: DriverContext;
  readonly #driver: Driver<InductionState, InductionInput, InductionOutput>;
  readonly #terms: Terms;
  /** The beats that are being sent, by the tokens of their terms; 0 outside of a term. */
  readonly #inFlight: bigint[] = [];

  constructor(context: DriverContext, self: MemberConfig, partition: number) {
    const { rules, host, timer } = context;
    this.#context = context;
    this.#driver = new Driver({
      clock: host.clock,
      timer,
      state: newInduction(self, partition),
      step(before, input, moment) {
        const next = stepInduction(rules, before, input, moment);
        if (next.state.clockErrorMs !== before.clockErrorMs) context.measured();
        return next;
      },
      perform: (output) => this.#perform(output),
    });
    this.#terms = new Terms({
      host,
      feed: (input) => this.feed(input),
      drainingToken: () => {
        const { leaseState } = this.#driver.state;
        return leaseState.kind === 'revoking' ? leaseState.token : undefined;
      },
    });
  }

  /**
   * The error in the known relation to the broker's clock, in milliseconds; `undefined` before the
   * first comparison.
   */
  get clockErrorMs(): number | undefined {
    return this.#driver.state.clockErrorMs;
  }

  feed(input: InductionInput): void {
    this.#driver.feed(input);
  }

  /**
   * Resolves once this member does not lead here and has no beat in flight, or once the signal
   * aborts.
   */
  idle(signal: AbortSignal): Promise<void> {
    const isIdle = (): boolean =>
      !isBelieving(this.#driver.state.leaseState) && this.#inFlight.length === 0;
    return this.#driver.until(isIdle, signal);
  }

  /**
   * Resolves once the current term is over and none of its beats is in flight, or the signal
   * aborts. Later terms and their beats are not waited for, nor are beats of a member that does not
   * lead, of which one may be in flight at every moment.
   */
  ended(signal: AbortSignal): Promise<void> {
    const token = this.#token;
    const isEnded = (): boolean =>
      token === undefined || (this.#token !== token && !this.#inFlight.includes(token));
    return this.#driver.until(isEnded, signal);
  }

  /** The token of the current term, as of the last step. */
  get #token(): bigint | undefined {
    const { leaseState } = this.#driver.state;
    return isBelieving(leaseState) ? leaseState.token : undefined;
  }

  #perform(output: InductionOutput): void {
    const { host } = this.#context;
    const { partition } = this.#driver.state;
    switch (output.kind) {
      case 'beat':
        return this.#send(output.beat);
      case 'leader':
        return host.leads(partition, output.leader);
      case 'decline':
        return this.#context.decline(partition, output.on);
      case 'unreturned':
        return this.#context.unreturned(partition, output.on);
      case 'ignored':
        return host.ignored(output.what);
      case 'broken':
        return this.#context.broken(partition, output.rule);
      default:
        return this.#terms.perform(partition, output);
    }
  }

  #send(beat: Beat): void {
    this.#inFlight.push(beat.token);
    this.#context.send(beat, (isWritten) => {
      this.#inFlight.splice(this.#inFlight.indexOf(beat.token), 1);
      this.feed(isWritten ? { kind: 'wake' } : { kind: 'unsent', id: beat.id });
    });
  }
}
