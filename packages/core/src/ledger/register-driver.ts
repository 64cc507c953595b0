// Runs the state machine of one partition: feeds it one input at a time and performs the outputs of
// each step.

import { mailbox } from '../async/mailbox.ts';
import type { Host } from '../contract/backend.ts';
import type { Alarm } from '../time/alarm.ts';
import type { LeaseRequest } from './ledger.ts';
import type { Holding } from './placement.ts';
import type { LedgerRules } from './protocol/rules.ts';
import type { LedgerInput, LedgerOutput, MemberConfig, PartitionState } from './protocol/state.ts';
import { newPartition, step } from './protocol/step.ts';
import { isBelieving } from './protocol/step-context.ts';
import { holderOf, type LedgerRecord } from './record.ts';
import type { Settled, WriteRequest } from './store-requests.ts';

/** What the state machine of a partition needs from its environment. */
export interface DriverContext {
  readonly rules: LedgerRules;
  readonly host: Host;
  readonly alarm: Alarm;
  write(request: WriteRequest, settled: Settled): void;
  /** Reads the floor, and feeds it to the partition (T1). */
  readFloor(partition: number): void;
  ask(want: LeaseRequest, isWanted: () => boolean): void;
  reread(partition: number): void;
  /** A safety assumption was violated; `rule` detected it. */
  broken(partition: number, rule: string): void;
  /** The holder of the partition changed, as far as this member has read. */
  holds(partition: number, holding: Holding | undefined): void;
}

/**
 * How many drivers may be woken in one turn of the event loop. The work that follows from
 * sixteen writes takes some milliseconds.
 */
export const wakesPerTurn = 16;

/** Runs one partition. */
export class RegisterDriver {
  readonly #world: DriverContext;
  readonly #inputs = mailbox<LedgerInput>((input) => this.#step(input));
  #state: PartitionState;
  #writing = 0;

  constructor(world: DriverContext, self: MemberConfig, partition: number) {
    this.#world = world;
    this.#state = newPartition(self, partition, world.host.clock.now());
  }

  /** Processes one input. Inputs that callbacks feed meanwhile are queued. */
  feed(input: LedgerInput): void {
    this.#inputs.feed(input);
  }

  /**
   * Resolves once this member does not lead here and has no write in flight, or once the signal
   * aborts.
   */
  idle(signal: AbortSignal): Promise<void> {
    return this.#inputs.until(() => !this.#isBusy(), signal);
  }

  /** Whether this member considered itself the leader here after the last step. */
  get believes(): boolean {
    return isBelieving(this.#state.tenure);
  }

  #isBusy(): boolean {
    return this.#state.tenure.kind !== 'follower' || this.#writing > 0;
  }

  #step(input: LedgerInput): void {
    const { rules, alarm, host } = this.#world;
    const moment = { now: host.clock.now(), wallMicros: host.clock.wallMicros() };
    const { state, outputs, wakeAt } = step(rules, this.#state, input, moment);
    this.#state = state;
    alarm.set(state.partition, wakeAt);
    for (const output of outputs) this.#perform(output);
  }

  #perform(output: LedgerOutput): void {
    const { host } = this.#world;
    const { partition } = this.#state;
    switch (output.kind) {
      case 'write':
        return this.#write(output);
      case 'read-floor':
        return this.#world.readFloor(partition);
      case 'ask':
        return this.#ask(output.want);
      case 'granted':
        return this.#granted(output);
      case 'drain':
        return this.#drain();
      case 'released':
        return host.released(partition);
      case 'lost':
        return host.lost(partition, output.reason);
      case 'leader':
        return this.#tell(output.record);
      case 'reread':
        return this.#world.reread(partition);
      case 'broken':
        return this.#world.broken(partition, output.rule);
    }
  }

  #write({ record, raisesFloor }: LedgerOutput & { readonly kind: 'write' }): void {
    this.#writing += 1;
    const isUrgent = this.#state.tenure.kind !== 'follower';
    const settled: Settled = (outcome) => {
      this.#writing -= 1;
      this.feed(outcome === 'unsent' ? { kind: 'wake' } : { kind: 'written', record, outcome });
    };
    const isWanted = (): boolean => this.#isWanted(record.id, isUrgent);
    this.#world.write({ record, isUrgent, isWanted, raisesFloor: raisesFloor === true }, settled);
  }

  /**
   * Returns whether a queued write should still be sent: the member may have resigned meanwhile, or
   * the lease may have lapsed. An attempt that was dropped because the position was lost or another
   * record took effect proves nothing (L11); sent as a claim, it would only make all members wait.
   */
  #isWanted(id: string, isUrgent: boolean): boolean {
    const { attempts, tenure, campaigning, abstention } = this.#state;
    if (!attempts.some((attempt) => attempt.id === id)) return false;
    return isUrgent ? tenure.kind !== 'follower' : campaigning && abstention === undefined;
  }

  /** Drops a want that the member forgot before it was sent: it could not use the answer (L7). */
  #ask(want: LeaseRequest): void {
    this.#world.ask(want, () => this.#state.wants.some(({ id }) => id === want.id));
  }

  #granted({ token, until, sentAt }: LedgerOutput & { readonly kind: 'granted' }): void {
    const answer = this.#world.host.granted({
      partition: this.#state.partition,
      token,
      until,
      sentAt,
    });
    if (answer === 'over') this.feed({ kind: 'fenced', lapse: false });
  }

  #drain(): void {
    const { tenure, partition } = this.#state;
    const token = isBelieving(tenure) ? tenure.token : undefined;
    void this.#world.host.drain(partition).then((end) => {
      // If the term ended in another way meanwhile, ignore the result.
      const now = this.#state.tenure;
      if (now.kind !== 'revoking' || now.token !== token) return;
      this.feed(end === 'drained' ? { kind: 'drained' } : { kind: 'fenced', lapse: true });
    });
  }

  #tell(record: LedgerRecord | undefined): void {
    const { partition } = this.#state;
    const holder = record && holderOf(record);
    const metadata = (record?.kind === 'hold' && record.metadata) || {};
    this.#world.host.leads(
      partition,
      record && holder && { ...holder, token: record.token, metadata },
    );
    this.#world.holds(
      partition,
      record && holder && { incarnation: holder.incarnation, token: record.token },
    );
  }
}
