// Runs the state machine of one partition's lease (`protocol/step.ts`) for a member: performs the
// outputs of its steps over the store.

import type { Host, KnownLeader } from '../contract/backend.ts';
import { Driver, type NewTimer } from '../engine/driver.ts';
import { Terms } from '../engine/terms.ts';
import { never } from '../time/instant.ts';
import type { LeaseRequest } from './ledger.ts';
import type { Holding } from './placement.ts';
import { isDeputy } from './protocol/deputy.ts';
import { lapsesAt } from './protocol/leader-changes.ts';
import type { LedgerRules } from './protocol/rules.ts';
import type { LedgerInput, LedgerOutput, MemberConfig, PartitionState } from './protocol/state.ts';
import { newPartition, step } from './protocol/step.ts';
import { isBelieving } from './protocol/step-context.ts';
import { holderOf, type LedgerRecord } from './record.ts';
import type { Settled, WriteRequest } from './store-requests.ts';

/** The environment of the state machine of a partition. */
export interface DriverContext {
  readonly rules: LedgerRules;
  readonly host: Host;
  readonly timer: NewTimer;
  write(request: WriteRequest, settled: Settled): void;
  /** Reads the floor, and feeds it to the partition (T1). */
  readFloor(partition: number): void;
  requestLease(request: LeaseRequest, isWanted: () => boolean): void;
  reread(partition: number): void;
  /** A safety assumption was violated; `rule` detected it. */
  broken(partition: number, rule: string): void;
  /** The holder of the partition changed, as far as this member has read. */
  holds(partition: number, holding: Holding | undefined): void;
}

/** Why a record is written: to begin a term, to extend or release a lease, or for the dead (L16). */
type Purpose = 'claim' | 'lease' | 'deputy';

/** Runs one partition. */
export class RegisterDriver {
  readonly #context: DriverContext;
  readonly #driver: Driver<PartitionState, LedgerInput, LedgerOutput>;
  readonly #terms: Terms;
  /** The records whose writes are in flight. */
  readonly #writing = new Map<LedgerRecord, Purpose>();

  constructor(context: DriverContext, self: MemberConfig, partition: number) {
    const { rules, host, timer } = context;
    this.#context = context;
    this.#driver = new Driver({
      clock: host.clock,
      timer,
      state: newPartition(self, partition, host.clock.now()),
      step: (state, input, moment) => step(rules, state, input, moment),
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

  feed(input: LedgerInput): void {
    this.#driver.feed(input);
  }

  /**
   * Resolves once the lease that this member holds now is over, once every write that is in flight
   * now has an outcome, and once every lease that such a write began is released. Also resolves
   * once a later term has begun, or once the signal aborts.
   *
   * Claims that are sent from now on belong to later terms, and are not waited for: a member that
   * was stopped may claim in the step that ends its term, and a write whose outcome is unknown is
   * repeated in the step that learns it. To wait until this member is idle would take as long as
   * the store does not answer, and then as long as the later terms.
   */
  ended(signal: AbortSignal): Promise<void> {
    const held = this.#heldToken;
    const inFlight = new Set(this.#writing.keys());
    const isAwaited = ([record, purpose]: readonly [LedgerRecord, Purpose]): boolean =>
      purpose === 'lease' || inFlight.has(record);
    const isEnded = (): boolean => {
      if (this.#heldToken === undefined) return ![...this.#writing].some(isAwaited);
      return this.believes && this.#heldToken !== held;
    };
    return this.#driver.until(isEnded, signal);
  }

  /** The token of the lease that this member holds, until it has seen the release take effect. */
  get #heldToken(): bigint | undefined {
    const { leaseState } = this.#driver.state;
    return leaseState.kind === 'follower' ? undefined : leaseState.token;
  }

  /** Releases what a dead incarnation holds here. Resolves once nothing is left to release (L16). */
  died(incarnation: string, signal: AbortSignal): Promise<void> {
    this.feed({ kind: 'died', incarnation });
    const isDone = (): boolean =>
      this.#writing.size === 0 && !isDeputy(this.#context.rules, this.#driver.state);
    return this.#driver.until(isDone, signal);
  }

  /** Whether this member considered itself the leader here after the last step. */
  get believes(): boolean {
    return isBelieving(this.#driver.state.leaseState);
  }

  /** Milliseconds until another member's lease lapses unless renewed; `undefined` without one. */
  get leaseMs(): number | undefined {
    const { rules, host } = this.#context;
    const lapseAt = lapsesAt({ rules, state: this.#driver.state });
    return lapseAt === never ? undefined : Math.max(0, lapseAt - host.clock.now());
  }

  #perform(output: LedgerOutput): void {
    const { partition } = this.#driver.state;
    switch (output.kind) {
      case 'write':
        return this.#write(output);
      case 'read-floor':
        return this.#context.readFloor(partition);
      case 'request-lease':
        return this.#requestLease(output.request);
      case 'leader':
        return this.#emitLeader(output.record);
      case 'reread':
        return this.#context.reread(partition);
      case 'ignored':
        return this.#context.host.ignored(output.what);
      case 'broken':
        return this.#context.broken(partition, output.rule);
      default:
        return this.#terms.perform(partition, output);
    }
  }

  #write({ record, raisesFloor }: LedgerOutput & { readonly kind: 'write' }): void {
    const purpose = this.#purposeOf(record);
    this.#writing.set(record, purpose);
    const settled: Settled = (outcome) => {
      this.#writing.delete(record);
      this.feed(outcome === 'unsent' ? { kind: 'wake' } : { kind: 'written', record, outcome });
    };
    const isUrgent = purpose !== 'claim';
    const isWanted = (): boolean => this.#isWanted(record.id, purpose);
    this.#context.write({ record, isUrgent, isWanted, raisesFloor: raisesFloor === true }, settled);
  }

  /**
   * Returns whether a queued write should still be sent: the member may have resigned meanwhile, or
   * the lease may have lapsed. An attempt that was dropped because the position was lost or another
   * record took effect proves nothing (L11); sent as a claim, it would only make all members wait.
   * A release for a dead member is wanted until then, whether this member campaigns or not (L16).
   */
  #isWanted(id: string, purpose: Purpose): boolean {
    const { attempts, leaseState, campaigning, abstention } = this.#driver.state;
    if (!attempts.some((attempt) => attempt.id === id)) return false;
    if (purpose === 'deputy') return true;
    return purpose === 'lease'
      ? leaseState.kind !== 'follower'
      : campaigning && abstention === undefined;
  }

  #purposeOf({ kind }: LedgerRecord): Purpose {
    if (this.#driver.state.leaseState.kind !== 'follower') return 'lease';
    return kind === 'release' ? 'deputy' : 'claim';
  }

  /** Drops a lease request that the member forgot before it was sent: it could not use the answer (L7). */
  #requestLease(request: LeaseRequest): void {
    this.#context.requestLease(request, () =>
      this.#driver.state.ownRequests.some(({ id }) => id === request.id),
    );
  }

  #emitLeader(record: LedgerRecord | undefined): void {
    const { partition } = this.#driver.state;
    const leader = record && leaderBy(record);
    this.#context.host.leads(partition, leader);
    this.#context.holds(
      partition,
      leader && { incarnation: leader.incarnation, token: leader.token },
    );
  }
}

function leaderBy(record: LedgerRecord): KnownLeader | undefined {
  const holder = holderOf(record);
  const metadata = (record.kind === 'hold' && record.metadata) || {};
  return holder && { ...holder, token: record.token, metadata };
}
