// Runs the state machine of the group's pin (R3): reads the pin, writes the first one, reports what
// it says.
import type { Host } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import type { Alarm } from '../time/alarm.ts';
import { newPin, type PinInput, type PinState, stepPin } from './protocol/pin.ts';
import type { LedgerRules } from './protocol/rules.ts';
import type { MemberConfig, PartitionState } from './protocol/state.ts';
import { type LedgerRecord, pinRegister } from './record.ts';
import type { Settled, WriteRequest } from './store-requests.ts';

/** What the state machine of the pin needs from its environment. */
export interface PinContext {
  readonly rules: LedgerRules;
  readonly host: Host;
  readonly alarm: Alarm;
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
  readonly #world: PinContext;
  readonly #wakeIndex: number;
  #state: PinState;
  #pin: PartitionState['pin'] | undefined;

  constructor(world: PinContext, self: MemberConfig) {
    this.#world = world;
    this.#wakeIndex = self.partitions;
    this.#state = newPin(self, world.host.clock.now());
  }

  feed(input: PinInput): void {
    const { rules, host, alarm } = this.#world;
    const moment = { now: host.clock.now(), wallMicros: host.clock.wallMicros() };
    const { state, pin, write, reread, isContradicted, wakeAt } = stepPin(
      rules,
      this.#state,
      input,
      moment,
      this.#world.mayWrite(),
    );
    this.#state = state;
    alarm.set(this.#wakeIndex, wakeAt);
    if (write) this.#write(write);
    if (reread) this.#world.reread(pinRegister);
    if (isContradicted) this.#world.pinDenied(contradiction(state.self.group));
    this.#tell(pin);
  }

  /** Returns an error that describes how the pin differs from this member's options. */
  difference(): LeadershipError {
    const { fold, self } = this.#state;
    const { metadata } = (fold.kind === 'following' && fold.effect) || {};
    const guarantee = metadata?.['guarantee'] ?? 'exclusive';
    if (guarantee !== 'exclusive') {
      return new LeadershipError(
        'partitions-differ',
        `group "${self.group}" runs with guarantee "${guarantee}", but this member is configured with guarantee "exclusive"; ` +
          'give all members the same guarantee, or this one another group',
      );
    }
    const pinned = `partitions ${metadata?.['partitions']}, thresholdMsMax ${metadata?.['thresholdMsMax']}`;
    const own = `partitions ${self.partitions}, thresholdMsMax ${self.thresholdMsMax}`;
    return new LeadershipError(
      'partitions-differ',
      `group "${self.group}" runs with ${pinned}, but this member is configured with ${own}; give all members the same values ` +
        '(thresholdMsMax defaults to thresholdMs: set it in all members to let their thresholdMs differ)',
    );
  }

  /** Writes as urgent, because no partition can be claimed before there is a pin. */
  #write(record: LedgerRecord): void {
    this.#world.write({ record, isUrgent: true }, (outcome) => {
      if (outcome !== 'unsent') this.feed({ kind: 'written', record, outcome });
    });
  }

  #tell(pin: PartitionState['pin']): void {
    const readable =
      this.#state.fold.kind === 'following' && (pin !== 'unknown' || !this.#world.mayWrite());
    if (pin === this.#pin && !readable) return;
    this.#pin = pin;
    this.#world.read(pin, readable);
  }
}

function contradiction(group: string): LeadershipError {
  return new LeadershipError(
    'misconfigured-backend',
    `the pin of group "${group}" reads as missing, but the store refuses to write it; this member claims nothing until the pin is read or written: ` +
      'check that this member may read every record of the group, and that all members use the same store',
  );
}
