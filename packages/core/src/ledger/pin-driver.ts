// Runs the state machine of the group's pin (R3): reads the pin, writes the first one, reports what
// it says.
import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { Driver, type NewTimer } from '../engine/driver.ts';
import { valuesDiffer } from '../engine/pinned-values.ts';
import { newPin, type PinInput, type PinState, type PinStep, stepPin } from './protocol/pin.ts';
import type { LedgerRules } from './protocol/rules.ts';
import type { MemberConfig, PartitionState } from './protocol/state.ts';
import { type LedgerRecord, pinRegister } from './record.ts';
import type { Settled, WriteRequest } from './store-requests.ts';

/** What the state machine of the pin needs from its environment. */
export interface PinContext {
  readonly rules: LedgerRules;
  readonly host: Host;
  readonly timer: NewTimer;
  /** Returns whether this member may write the first pin. Observers leave that to other members. */
  mayWrite(): boolean;
  write(request: WriteRequest, settled: Settled): void;
  reread(partition: number): void;
  /** The pin can be neither read nor written, because of `error`. */
  pinDenied(error: LeadershipError): void;
  /**
   * Reports the result of reading the pin; `readable` is true once there is nothing left to wait
   * for.
   */
  read(pin: PartitionState['pin'], readable: boolean): void;
}

export class PinDriver {
  readonly #context: PinContext;
  readonly #driver: Driver<PinState, PinInput, PinStep>;
  #pin: PartitionState['pin'] | undefined;

  constructor(context: PinContext, self: MemberConfig) {
    const { rules, host, timer } = context;
    this.#context = context;
    this.#driver = new Driver({
      clock: host.clock,
      timer,
      state: newPin(self, host.clock.now()),
      step(state, input, moment) {
        const next = stepPin(rules, state, input, moment, context.mayWrite());
        return { ...next, outputs: [next] };
      },
      perform: (output) => this.#perform(output),
    });
  }

  feed(input: PinInput): void {
    this.#driver.feed(input);
  }

  /** Returns an error that describes how the pin differs from this member's options. */
  difference(): LeadershipError {
    const { fold, self } = this.#driver.state;
    const { metadata } = (fold.kind === 'following' && fold.effect) || {};
    const guarantee = metadata?.['guarantee'] ?? 'exclusive';
    if (guarantee !== 'exclusive') {
      return new LeadershipError(
        'partitions-differ',
        `group "${self.group}" runs with guarantee "${guarantee}", but this member is configured with guarantee "exclusive"; ` +
          'give all members the same guarantee, or this one another group',
      );
    }
    return valuesDiffer(self.group, metadata ?? {}, self);
  }

  #perform({ state, pin, write, reread, isContradicted }: PinStep): void {
    if (write) this.#write(write);
    if (reread) this.#context.reread(pinRegister);
    if (isContradicted) this.#context.pinDenied(contradiction(state.self.group));
    const readable =
      state.fold.kind === 'following' && (pin !== 'unknown' || !this.#context.mayWrite());
    if (pin === this.#pin && !readable) return;
    this.#pin = pin;
    this.#context.read(pin, readable);
  }

  /** Writes as urgent, because no partition can be claimed before there is a pin. */
  #write(record: LedgerRecord): void {
    this.#context.write({ record, isUrgent: true }, (outcome) => {
      if (outcome !== 'unsent') this.feed({ kind: 'written', record, outcome });
    });
  }
}

function contradiction(group: string): LeadershipError {
  return new LeadershipError(
    'misconfigured-backend',
    `the pin of group "${group}" reads as missing, but the store refuses to write it; this member claims nothing until the pin is read or written: ` +
      'check that this member may read every record of the group, and that all members use the same store',
  );
}
