// The pin of a group that promises continuity (R3): one record in partition 0 of the topic, as
// every group on a topic has one. It says what the group promises, so that a lease and continuous
// leadership never lead the same partitions side by side. A newcomer that reads another pin is
// refused; a member that already takes part goes on, and reports it (R4). Nothing on the topic of
// beats stays for long, so members write the pin again before it is old.
import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import {
  after,
  type HealthReporter,
  longAgo,
  PinnedValues,
  unknownGroup,
} from '@leadership/core/internal/engine';
import type { ClusterConnection } from '../connection/cluster-connection.ts';
import type { FetchedRecord } from '../connection/fetched-partition.ts';
import { limitsOf, type MemberContext, mayCreate } from '../member-context.ts';
import { type PinRecord, parsePin, pinText, textOf } from './pin-record.ts';
import { again, guaranteeIn, type Standing } from './pins.ts';
import { readToEnd } from './read-to-end.ts';
import type { Sender } from './sender.ts';
import { oldMs } from './topic-settings.ts';

const own = 'continuous';
/** The number of latest records in which a newcomer looks for the pin first. */
const recentRecords = 2_000n;
/** The number of records after the pin from which on the pin is written again. */
const batch = 1_000n;
/** A copy that was not read back after this time counts as lost, in milliseconds. */
const copyAgainMs = 5_000;
/**
 * Two members may write the first pin at once. More attempts mean that written pins are not read
 * back.
 */
const triesMax = 3;

/** Options of {@link ContinuousPin}. */
export interface ContinuousPinOptions {
  readonly context: MemberContext;
  readonly troubles: HealthReporter;
  readonly sender: Sender;
  readonly signal: AbortSignal;
  /** Opens a connection that no other component uses. */
  readonly openApart: () => Promise<ClusterConnection>;
}

export class ContinuousPin {
  readonly #options: ContinuousPinOptions;
  /** A random factor in [1, 2), which spreads the members' copies of the pin. */
  readonly #spread: number;
  #standing: Standing | undefined;
  #newestMs = 0;
  #isAdmitted = false;
  #admitting: Promise<void> | undefined;
  #isReading = false;
  #copies = 0;
  #quietUntil: Instant = longAgo;

  constructor(options: ContinuousPinOptions) {
    this.#options = options;
    this.#spread = 1 + options.context.host.random();
  }

  /**
   * Resolves once the group's pin was read and agrees with this member's configuration. The
   * connection must not be polled yet. If the group has no pin, `writes` decides whether this
   * member writes it; observers do not. A missing right to write is ignored here: the next send
   * reports it.
   * @throws LeadershipError `partitions-differ`
   */
  async admit(connection: ClusterConnection, writes: boolean): Promise<void> {
    if (this.#standing === undefined) await this.#read(connection);
    if (this.#standing === undefined && writes) {
      await this.#write(() => this.#read(connection)).catch((error: unknown) => {
        if (!isUnauthorized(error)) throw error;
      });
    }
    this.#judge();
    if (this.#standing === undefined && !writes) this.missing();
  }

  /** Reports to an observer that no member has opened the group, until its pin is read. */
  missing(): void {
    const { context, troubles } = this.#options;
    troubles.raise('pin', unknownGroup(context.group));
  }

  /**
   * Resolves once the group has a pin that agrees. If none was read, this member writes it, and
   * reads it back over a separate connection: a broker answers no request behind a long poll before
   * that poll ends.
   * @throws LeadershipError `partitions-differ`, or the error of the write
   */
  admitSender(): Promise<void> {
    if (this.#isAdmitted) return Promise.resolve();
    this.#admitting ??= this.#admitLate().finally(() => {
      this.#admitting = undefined;
    });
    return this.#admitting;
  }

  /** Forgets the pin of a deleted topic. The next topic gets a new pin. */
  forget(): void {
    this.#standing = undefined;
    this.#isAdmitted = false;
  }

  /** Takes a record of partition 0. Returns whether it was a pin of this group. */
  take({ value, offset, writtenMs }: FetchedRecord, receivedAt: Instant): boolean {
    this.#newestMs = writtenMs;
    const record = parsePin(value);
    if (record?.group !== this.#options.context.group) return false;
    // L10: the record in effect is the earliest of the greatest height.
    if (this.#standing !== undefined && !isInEffectOver(record.height, offset, this.#standing))
      return true;
    this.#standing = { record, offset, text: textOf(value), receivedAt, writtenMs };
    if (!this.#isReading) this.#report(record);
    return true;
  }

  /**
   * Called when partition 0 was read up to `end`. A candidate writes the pin again if it is old or
   * far from the end.
   */
  look(end: bigint): void {
    const standing = this.#standing;
    const { context, sender, signal } = this.#options;
    const now = context.clock.now();
    if (standing === undefined || !this.#isAdmitted || !mayCreate(context)) return;
    if (now < this.#quietUntil) return;
    const ageMs = Math.max(now - standing.receivedAt, this.#newestMs - standing.writtenMs);
    const isBehind = Number(end - standing.offset) >= Number(batch) * this.#spread;
    if (!isBehind && ageMs < oldMs * this.#spread) return;
    this.#quietUntil = after(now, copyAgainMs);
    this.#copies += 1;
    sender.send(0, again(standing, context.host, this.#copies), signal).catch(() => undefined);
  }

  async #admitLate(): Promise<void> {
    if (this.#standing === undefined) await this.#write(() => this.#readApart());
    this.#judge();
  }

  #judge(): void {
    if (this.#standing === undefined) return;
    const difference = this.#difference(this.#standing.record);
    if (difference) throw difference;
    this.#isAdmitted = true;
    this.#options.troubles.mend('pin');
  }

  /**
   * Writes the first pin until one is read. Of two concurrent first pins, the earlier one is in
   * effect.
   */
  async #write(read: () => Promise<void>): Promise<void> {
    for (let tries = 0; this.#standing === undefined || tries === 0; tries += 1) {
      if (tries === triesMax)
        throw new LeadershipError(
          'unreachable',
          `${this.#place}: the pin of the group was written, but is not read`,
        );
      await this.#options.sender.send(0, this.#first(), this.#options.signal);
      await read();
    }
  }

  async #readApart(): Promise<void> {
    const connection = await this.#options.openApart();
    await this.#read(connection).finally(connection.close);
  }

  async #read(connection: ClusterConnection): Promise<void> {
    const { clock, topic } = this.#options.context;
    const options = { topic, clock, limitMs: limitsOf(this.#options.context).limitMs };
    const end = (await connection.offsetsOf([0], 'end')).get(0) ?? 0n;
    this.#takeAll(await readToEnd(connection, 0, { ...options, from: end - recentRecords }));
    // Of two first pins, only the earlier one is in effect. It may precede the records read so far.
    if (this.#standing !== undefined && this.#standing.record.height > 0) return;
    this.#standing = undefined;
    this.#takeAll(await readToEnd(connection, 0, options));
  }

  #takeAll(records: readonly FetchedRecord[]): void {
    const receivedAt = this.#options.context.clock.now();
    this.#isReading = true;
    for (const record of records) this.take(record, receivedAt);
    this.#isReading = false;
  }

  #report(record: PinRecord): void {
    const difference = this.#difference(record);
    if (difference) this.#options.troubles.raise('pin', difference);
    else this.#options.troubles.mend('pin');
  }

  #first(): string {
    const { group, partitions, thresholdMs, host } = this.#options.context;
    const { member, incarnation } = host;
    const promise = { partitions, thresholdMsMax: thresholdMs, guarantee: own } as const;
    this.#copies += 1;
    return pinText({ group, member, incarnation, thresholdMs, ...promise }, this.#copies);
  }

  #difference(pin: PinRecord): LeadershipError | undefined {
    const { metadata } = pin;
    const { group, partitions } = this.#options.context;
    const pinned = { guarantee: guaranteeIn(pin), partitions: metadata?.['partitions'] };
    if (pinned.guarantee === own && pinned.partitions === String(partitions)) return undefined;
    const said = `guarantee "${pinned.guarantee}" and partitions ${pinned.partitions}`;
    return new LeadershipError(
      'partitions-differ',
      `group "${group}" runs with ${said}, but this member is configured ` +
        `with guarantee "${own}" and partitions ${partitions}; configure all members alike, or give this one another group`,
      ...(pinned.guarantee === own ? [{ cause: new PinnedValues(said, metadata ?? {}) }] : []),
    );
  }

  get #place(): string {
    return `topic ${this.#options.context.topic}, partition 0`;
  }
}

/** Applies L10 in any order of reads: polls, and reads from the start. */
function isInEffectOver(
  height: number,
  offset: bigint,
  { record, offset: other }: Standing,
): boolean {
  return height > record.height || (height === record.height && offset < other);
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof LeadershipError && error.code === 'unauthorized';
}
