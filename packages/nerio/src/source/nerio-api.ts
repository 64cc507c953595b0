// The additional methods of a Nerio source: the weak leader, edicts, verification, finding the
// leader, and the change of members.
import { type Abortable, LeadershipError, type LeadershipSource } from '@leadership/core';
import { monotonicClock, raceSignal, sleep } from '@leadership/core/adapter';
import { partitionOf, type Stream, stream } from '@leadership/core/internal/engine';
import type { NerioSource, Verification, WeakLeader } from '../nerio-source.ts';
import { resolveMembers } from '../options.ts';
import type { EdictStamp } from '../protocol/edict.ts';
import type { Epoch } from '../protocol/electorate.ts';
import type { Verdict } from '../protocol/output.ts';
import type { MemberDriver } from './member-driver.ts';
import type { NerioMembership } from './membership.ts';
import { firstEpoch, type Settings } from './settings.ts';

/**
 * The interval at which an unanswered query is repeated, as a share of T, because messages may be
 * lost.
 */
const repeatShare = 1 / 4;

/** The additional methods of one source. */
export class NerioApi {
  readonly #settings: Settings;
  readonly #epochs: Stream<Epoch>;
  readonly #weak: Stream<ReadonlyMap<number, WeakLeader>> = stream(new Map(), () => undefined);
  readonly #over = new AbortController();
  #membership: NerioMembership | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#epochs = stream(firstEpoch(settings), () => undefined);
  }

  /** The membership has started. */
  started(membership: NerioMembership): void {
    this.#membership = membership;
  }

  /** Another epoch runs, to this member's knowledge. */
  entered(epoch: Epoch): void {
    this.#epochs.set(epoch);
  }

  /** The weak leader of a partition has changed. */
  weak(partition: number, member: string | undefined): void {
    const next = new Map(this.#weak.value);
    if (member === undefined) next.delete(partition);
    else next.set(partition, { member, self: member === this.#settings.options.member });
    this.#weak.set(next);
  }

  /** The source has closed. */
  ended(): void {
    this.#over.abort(
      new LeadershipError(
        'closed',
        `the source of member "${this.#settings.options.member}" is closed`,
      ),
    );
    this.#epochs.complete();
    this.#weak.complete();
  }

  /** Returns the source with the additional methods. */
  addTo(source: LeadershipSource): NerioSource {
    return Object.assign(source, {
      epoch$: this.#epochs.value$,
      weak$: this.#weak.value$,
      edict: <T>(role: string | number, send: (stamp: EdictStamp) => T) =>
        this.#edict(source, role, send),
      verify: (member: string, role: string | number, options?: Abortable) =>
        this.#withDriver(
          options,
          (driver, signal) => this.#verify(driver, member, this.#partitionOf(role), signal),
          () => Promise.reject(this.#unanswered(member)),
        ),
      find: (role: string | number, options?: Abortable) =>
        this.#withDriver(
          options,
          (driver, signal) => this.#find(driver, this.#partitionOf(role), signal),
          () => Promise.resolve(undefined),
        ),
      reconfigure: (
        members: Parameters<NerioSource['reconfigure']>[0],
        options: Parameters<NerioSource['reconfigure']>[1] = {},
      ) => this.#reconfigure(members, options),
    });
  }

  #partitionOf(role: string | number): number {
    return partitionOf(role, this.#settings.options.partitions);
  }

  /**
   * Calls `use` with the driver of the member once it has started. Ends with the source or with the
   * caller's signal, whichever is first. If the member has not started within T, returns the result
   * of `late`.
   */
  async #withDriver<T>(
    options: Abortable = {},
    use: (driver: MemberDriver, signal: AbortSignal) => Promise<T>,
    late?: () => Promise<T>,
  ): Promise<T> {
    const enough = new AbortController();
    const signal = AbortSignal.any([
      this.#over.signal,
      enough.signal,
      ...(options.signal ? [options.signal] : []),
    ]);
    const answer = async (): Promise<T> => {
      signal.throwIfAborted();
      const driver = await this.#opened(signal, late === undefined);
      signal.throwIfAborted();
      if (driver !== undefined) return await use(driver, signal);
      if (late !== undefined) return await late();
      throw new LeadershipError('closed', 'the source was closed before it had started');
    };
    try {
      return await raceSignal(answer(), signal);
    } finally {
      enough.abort();
    }
  }

  /**
   * Returns the driver once it runs; unless `isForEver`, `undefined` after T, because the disk may
   * delay the start without limit.
   */
  async #opened(signal: AbortSignal, isForEver: boolean): Promise<MemberDriver | undefined> {
    if (isForEver) return await this.#membership?.opened(signal);
    const enough = new AbortController();
    const until = AbortSignal.any([signal, enough.signal]);
    void sleep(monotonicClock, this.#settings.options.thresholdMs, until).then(() =>
      enough.abort(),
    );
    const driver = await this.#membership?.opened(until);
    enough.abort();
    return driver;
  }

  #edict<T>(
    source: LeadershipSource,
    role: string | number,
    send: (stamp: EdictStamp) => T,
  ): T | undefined {
    const driver = this.#membership?.driver;
    const mine = source.role(role);
    if (driver === undefined || !mine.isLeading()) return undefined;
    const stamped = driver.edict(mine.partition);
    // Check the time once more right before sending (N8).
    return stamped !== undefined && driver.moment().now < stamped.until && mine.isLeading()
      ? send(stamped.stamp)
      : undefined;
  }

  async #verify(
    driver: MemberDriver,
    member: string,
    partition: number,
    signal: AbortSignal,
  ): Promise<Verification> {
    if (!driver.state.electorate.names.includes(member)) {
      throw new LeadershipError(
        'invalid-options',
        `"${member}" is not a member of this epoch: ${driver.state.electorate.names.join(', ')}`,
      );
    }
    const verdict = await this.#repeated(driver, signal, (until) =>
      driver.answers.verdict((id) => driver.feed({ kind: 'verify', partition, member, id }), until),
    );
    if (verdict) return verificationOf(driver, verdict);
    throw this.#unanswered(member);
  }

  #unanswered(member: string): LeadershipError {
    const { thresholdMs } = this.#settings.options;
    return new LeadershipError(
      'unreachable',
      `"${member}" did not answer within ${thresholdMs} ms whether it leads`,
    );
  }

  async #find(
    driver: MemberDriver,
    partition: number,
    signal: AbortSignal,
  ): ReturnType<NerioSource['find']> {
    const { thresholdMs, member } = this.#settings.options;
    const query = (id: number): unknown =>
      driver.feed({ kind: 'find', partition, id, timeoutMs: thresholdMs });
    const leader = await driver.answers.leader(query, signal);
    return (
      leader && {
        member: leader.member,
        self: leader.member === member,
        metadata: driver.metadataOf(leader),
      }
    );
  }

  /** Repeats the query until an answer arrives, for T at most. */
  async #repeated<T>(
    driver: MemberDriver,
    signal: AbortSignal,
    query: (until: AbortSignal) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { thresholdMs } = this.#settings.options;
    for (let times = 0; times * repeatShare < 1 && !signal.aborted; times += 1) {
      const enough = new AbortController();
      const until = AbortSignal.any([signal, enough.signal]);
      void sleep(driver.clock, thresholdMs * repeatShare, until).then(() => enough.abort());
      const answer = await query(until);
      enough.abort();
      if (answer !== undefined) return answer;
    }
    return undefined;
  }

  async #reconfigure(
    given: Parameters<NerioSource['reconfigure']>[0],
    {
      quorums = { kind: 'majority' },
      signal,
    }: NonNullable<Parameters<NerioSource['reconfigure']>[1]>,
  ): Promise<Epoch> {
    const members = resolveMembers(given, quorums);
    if (this.#settings.stateDirectory === undefined) {
      throw new LeadershipError(
        'invalid-options',
        'a change of members needs a stateDirectory, because a member must not forget that an epoch ends',
      );
    }
    return await this.#withDriver(signal && { signal }, (driver, until) =>
      this.#change(driver, { members, quorums }, until),
    );
  }

  /**
   * Proposes the change again until a later epoch runs: an attempt may fail without notice, for
   * example if it gives way to another whose proposer dies.
   */
  async #change(
    driver: MemberDriver,
    next: Pick<Epoch, 'members' | 'quorums'>,
    signal: AbortSignal,
  ): Promise<Epoch> {
    const { number, names } = driver.state.electorate;
    const { member, thresholdMs } = this.#settings.options;
    if (!names.includes(member))
      throw new LeadershipError(
        'invalid-options',
        `"${member}" is not a member of this epoch and cannot end it`,
      );
    const isOver = (): boolean => driver.state.electorate.number > number;
    while (!isOver() && !signal.aborted) {
      driver.feed({ kind: 'reconfigure', next });
      const again = new AbortController();
      void sleep(driver.clock, thresholdMs, AbortSignal.any([signal, again.signal])).then(() =>
        again.abort(),
      );
      await driver.until(isOver, again.signal);
      again.abort();
    }
    signal.throwIfAborted();
    return driver.state.electorate.epoch;
  }
}

function verificationOf(driver: MemberDriver, verdict: Verdict): Verification {
  return { member: verdict.leader.member, isLeading: () => driver.relies(verdict) };
}
