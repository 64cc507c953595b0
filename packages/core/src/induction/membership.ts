// The induction engine: one driver per partition. Their inputs are the coordinator's decisions and
// the beats of all members; one timer wakes them.

import { follow } from '../async/follow.ts';
import type { BackOff } from '../async/retry.ts';
import { withTimeout } from '../async/with-timeout.ts';
import type { Host, Membership } from '../contract/backend.ts';
import { LeadershipError } from '../contract/leadership-error.ts';
import { Troubles, toLeadershipError } from '../engine/troubles.ts';
import { manyListeners } from '../process/many-listeners.ts';
import { type Alarm, alarm } from '../time/alarm.ts';
import { after, type Instant, never } from '../time/instant.ts';
import type { Assigned, Assignment } from './assignment.ts';
import type { Beat } from './beat.ts';
import type { BeatNews, Beats } from './beats.ts';
import { declinedPartitions } from './declined.ts';
import type { InductionParts, ResolvedInductionOptions } from './options.ts';
import { type Outbox, outbox } from './outbox.ts';
import { type DriverContext, PartitionDriver } from './partition-driver.ts';
import type { InductionRules } from './protocol/rules.ts';
import type { MemberConfig } from './protocol/state.ts';
import type { InductionSettings } from './settings.ts';

/**
 * How long a momentary trouble stays in `health()`, in T: long enough for a health probe to see it.
 */
const brokenShownThresholds = 10;
/**
 * Sources of trouble that end after a time. Each has its own wake-up, numbered after those of the
 * partitions.
 */
const mendable = ['broken', 'differs', 'assignment'] as const;
/** Error codes that cannot resolve by themselves and refuse a member that is not ready yet. */
const finalCodes: readonly string[] = [
  'unauthorized',
  'misconfigured-backend',
  'partitions-differ',
];

/** Starts this member's part in the election over the broker's assignment. */
export function inductionMembership(
  rules: InductionRules,
  options: ResolvedInductionOptions,
  settings: InductionSettings,
  parts: InductionParts,
  host: Host,
): Membership {
  return new InductionMembership(rules, options, settings, parts, host);
}

class InductionMembership implements Membership, DriverContext {
  readonly rules: InductionRules;
  readonly host: Host;
  readonly alarm: Alarm;
  readonly #options: ResolvedInductionOptions;
  readonly #settings: InductionSettings;
  readonly #assignment: Assignment;
  readonly #beats: Beats;
  readonly #partitions: readonly PartitionDriver[];
  readonly #outbox: Outbox;
  readonly #troubles: Troubles;
  readonly #stop = new AbortController();
  readonly #spared = declinedPartitions((partitions) =>
    this.#troubles.attempt('assignment', () => this.#assignment.declined(partitions)),
  );
  readonly #listening = new Set<number>();
  #isAssigned = false;
  #admission: 'pending' | 'ready' | 'refused' = 'pending';
  #isMeasuring = false;
  #closed: Promise<void> | undefined;

  constructor(
    rules: InductionRules,
    options: ResolvedInductionOptions,
    settings: InductionSettings,
    parts: InductionParts,
    host: Host,
  ) {
    this.rules = rules;
    this.host = host;
    this.#options = options;
    this.#settings = settings;
    this.#assignment = parts.assignment;
    this.#beats = parts.beats;
    this.#troubles = new Troubles(host);
    manyListeners(this.#stop.signal);
    this.alarm = alarm(host.clock, (index) => this.#wake(index));
    const self = inductee(options, settings, host);
    this.#partitions = Array.from(
      { length: options.partitions },
      (_, partition) => new PartitionDriver(this, self, partition),
    );
    this.#outbox = outbox(
      (beats) => this.#send(beats),
      (error) => this.#stop.signal.aborted || this.#troubles.raise('send', error),
    );
    this.#followAll();
    this.campaign(options.campaign);
  }

  campaign(on: boolean, partition?: number): void {
    if (this.#closed !== undefined || this.#admission === 'refused') return;
    if (partition === undefined) this.#stand(on);
    else {
      this.#partitions[partition]?.feed({ kind: 'campaign', on });
      this.#spared.notStanding(partition, !on);
    }
  }

  /**
   * Asks the coordinator not to assign the partition while this member is not a candidate; the
   * coordinator still decides. Ignores `above`, because tokens are not ordered here.
   */
  standBy(partition: number, above: bigint | undefined): void {
    if (this.#options.campaign) this.campaign(above !== undefined, partition);
  }

  async resign(partition: number, abstainMs = 0): Promise<void> {
    const driver = this.#partitions[partition];
    const ended = driver?.ended(this.host.signal);
    driver?.feed({ kind: 'resign', atLeastMs: abstainMs });
    await ended;
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  send(beat: Beat, settled: (isWritten: boolean) => void): void {
    this.#outbox.put(beat, settled);
  }

  decline(partition: number, on: boolean): void {
    this.#spared.givenUp(partition, on);
  }

  broken(partition: number, rule: 'I2' | 'I5'): void {
    const what = {
      I2: "the broker's clock stepped, or stamps of another broker's clock are mixed in",
      I5: 'another member led at the same time: the coordinator did not honour the session, or a clock exceeds driftRate',
    };
    this.#raiseFor(
      'broken',
      new LeadershipError(
        'assumption-broken',
        `partition ${partition}: ${what[rule]} (rule ${rule})`,
      ),
    );
  }

  measured(): void {
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    void Promise.resolve().then(() => this.#measure());
  }

  #stand(on: boolean): void {
    this.#troubles.attempt('assignment', () => this.#assignment.standing(on));
    for (const driver of this.#partitions) driver.feed({ kind: 'campaign', on });
    this.#readyOnce();
  }

  #followAll(): void {
    const { clock, random } = this.host;
    const { signal } = this.#stop;
    const { thresholdMs } = this.#options;
    const backOff = backOffOf(thresholdMs, random);
    const all = [...this.#partitions.keys()];
    const hearing = {
      open: (until: AbortSignal) => this.#beats.heard(all, until),
      each: (news: BeatNews) => this.#hear(news),
      broke: (error: unknown) => this.#brokeFor('beats', error),
      reopened: () => this.#partitions.forEach((driver) => driver.feed({ kind: 'restarted' })),
    };
    void follow(hearing, backOff, clock, signal);
    const assigning = {
      open: (until: AbortSignal) => this.#assignment.assigned(until),
      each: (assigned: Assigned) => this.#assign(assigned),
      broke: (error: unknown) => {
        this.#mendAt('assignment', never);
        return this.#brokeFor('assignment', error);
      },
      reopened: () => this.#mendAt('assignment', after(clock.now(), thresholdMs)),
    };
    void follow(assigning, backOff, clock, signal);
  }

  #assign({ partitions, generation, alone = false }: Assigned): void {
    this.#isAssigned = true;
    this.#troubles.confirm('assignment');
    // A member without partitions sends no beats, so failures to send no longer matter.
    if (partitions.size === 0) this.#troubles.mend('send');
    const numberOf = (partition: number): number | undefined =>
      typeof generation === 'object' ? generation.get(partition) : generation;
    this.#partitions.forEach((driver, partition) =>
      driver.feed({
        kind: 'assigned',
        mine: partitions.has(partition),
        generation: numberOf(partition),
        alone,
      }),
    );
    this.#readyOnce();
  }

  #hear(news: BeatNews): void {
    this.#troubles.confirm('beats');
    switch (news.kind) {
      case 'beat':
        return this.#hearBeat(news);
      case 'restarted':
        return this.#partitions[news.partition]?.feed({ kind: 'restarted' });
      case 'ignored':
        return this.host.ignored(news.what);
      case 'listening':
        for (const partition of news.partitions) this.#listening.add(partition);
        this.#readyOnce();
    }
  }

  #hearBeat(news: BeatNews & { readonly kind: 'beat' }): void {
    const { group, partition, partitions, member } = news.beat;
    const driver = this.#partitions[partition];
    if (driver === undefined) return this.host.ignored('foreign-partition');
    if (group !== this.#options.group || partitions === this.#options.partitions)
      return driver.feed(news);
    this.host.ignored('other-partitions');
    const sentence = `member "${member}" of group "${group}" runs with partitions ${partitions}, but this member is configured with ${this.#options.partitions}; give all members the same value`;
    const error = new LeadershipError('partitions-differ', sentence);
    if (this.#admission === 'pending') this.#refuse('differs', error);
    else this.#raiseFor('differs', error);
  }

  /** Sends beats with a time limit of T/3: a beat that takes longer is useless. */
  async #send(beats: readonly Beat[]): Promise<void> {
    const { signal } = this.#stop;
    const limit = { clock: this.host.clock, limitMs: this.#options.thresholdMs / 3, signal };
    if (signal.aborted) throw new Error('closed');
    await withTimeout(limit, (until) => this.#beats.send(beats, until));
    this.#troubles.confirm('send');
  }

  #measure(): void {
    this.#isMeasuring = false;
    const errors = this.#partitions.map(({ clockErrorMs }) => clockErrorMs ?? 0);
    const errorMs = errors.reduce((largest, one) => Math.max(largest, one), 0);
    const { beats, clockErrorMsMax } = this.#settings;
    this.host.measured('clockErrorMs', errorMs);
    if (beats === 'owner' || errorMs <= clockErrorMsMax) return this.#troubles.mend('clock');
    const sentence = `the broker's clock is known to within ${Math.ceil(errorMs)} ms, but clockErrorMsMax is ${clockErrorMsMax}; beats of other members count for less time until this member's own beats return faster`;
    this.#troubles.raise('clock', new LeadershipError('assumption-broken', sentence));
  }

  #wake(index: number): void {
    if (index < this.#partitions.length) this.#partitions[index]?.feed({ kind: 'wake' });
    else this.#troubles.mend(mendable[index - this.#partitions.length] ?? '');
  }

  #raiseFor(source: 'broken' | 'differs', error: LeadershipError): void {
    this.#troubles.raise(source, error);
    this.#mendAt(
      source,
      after(this.host.clock.now(), brokenShownThresholds * this.#options.thresholdMs),
    );
  }

  /**
   * Ends the trouble from this source at `at`, unless the source raises it again and calls this
   * method again before that.
   */
  #mendAt(source: (typeof mendable)[number], at: Instant): void {
    this.alarm.set(this.#partitions.length + mendable.indexOf(source), at);
  }

  /**
   * Before the source is ready, an error that cannot resolve by itself refuses the source. Later
   * every error is retried.
   */
  #brokeFor(source: string, error: unknown): boolean {
    const isFinal =
      this.#admission === 'pending' && finalCodes.includes(toLeadershipError(error).code);
    if (isFinal) this.#refuse(source, error);
    else this.#troubles.raise(source, error);
    return !isFinal;
  }

  /** Refuses this member for good. It no longer takes part. */
  #refuse(source: string, error: unknown): void {
    const { code, message, cause } = toLeadershipError(error);
    this.#troubles.raise(source, error);
    this.#admission = 'refused';
    this.#stand(false);
    this.host.refused(code, message, cause);
  }

  #readyOnce(): void {
    const isHeard =
      this.#listening.size === this.#partitions.length &&
      (this.#isAssigned || !this.#options.campaign);
    if (this.#admission !== 'pending' || !isHeard) return;
    this.#admission = 'ready';
    this.host.ready();
  }

  async #close(): Promise<void> {
    this.#stand(false);
    await Promise.all(this.#partitions.map((driver) => driver.idle(this.host.signal)));
    this.#stop.abort();
    this.alarm[Symbol.dispose]();
    const ends = await Promise.allSettled([closing(this.#assignment), closing(this.#beats)]);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}

/**
 * Closes one part. The async function turns a synchronous throw into a rejection, so that the other
 * part is closed too.
 */
async function closing(part: Assignment | Beats): Promise<void> {
  await part.close();
}

function inductee(
  { group, partitions, thresholdMs, driftRate, metadata }: ResolvedInductionOptions,
  settings: InductionSettings,
  host: Host,
): MemberConfig {
  const { promise, beats, beatMs, numbered } = settings;
  const told = Object.keys(metadata).length > 0 ? { metadata } : {};
  const { member, incarnation } = host;
  return {
    group,
    member,
    incarnation,
    partitions,
    thresholdMs,
    driftRate,
    ...told,
    promise,
    beats,
    beatMs,
    numbered,
  };
}

/**
 * Returns the back-off between attempts to read a broker that does not answer: from T/20 to T/2.
 */
function backOffOf(thresholdMs: number, random: () => number): BackOff {
  return { firstMs: thresholdMs / 20, lastMs: thresholdMs / 2, random };
}
