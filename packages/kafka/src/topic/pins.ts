// The pins of all groups on a topic (R3): records in partition 0 that say what each group promises, so
// that members of another guarantee, and of the first releases, refuse to join it. A cut would remove them,
// so the member that cuts appends them again before.
import { LeadershipError } from '@leadership/core';
import type { Instant } from '@leadership/core/adapter';
import { nextWake } from '@leadership/core/internal/engine';
import type { FetchedRecord } from '../connection/fetched-partition.ts';
import type { MemberContext } from '../member-context.ts';
import { type PinRecord, parsePin, pinText, textOf } from './pin-record.ts';

/** A pin with the place and the times of its read. */
export interface Standing {
  readonly record: PinRecord;
  readonly offset: bigint;
  /** The whole text, including fields that this release does not know. */
  readonly text: string;
  readonly receivedAt: Instant;
  /** The time stamp that the brokers' retention uses, in milliseconds since 1970. */
  readonly writtenMs: number;
}

/**
 * The guarantee in the pin of a group with leases by session. The first releases refuse it, because
 * theirs is `exclusive`.
 */
const bySession = 'exclusive by session';

/** Returns the guarantee that a pin names, by the name of the option. A pin that names none is a lease's. */
export function guaranteeIn({ metadata }: PinRecord): string {
  const { guarantee = 'exclusive' } = metadata ?? {};
  return guarantee === bySession ? 'exclusive' : guarantee;
}

/** What the pins need of a member. */
type PinsContext = Pick<MemberContext, 'group' | 'partitions' | 'thresholdMs'> & {
  readonly host: Pick<MemberContext['host'], 'member' | 'incarnation'>;
};

/** The pins that one member has read. */
export class TopicPins {
  readonly #context: PinsContext;
  readonly #standing = new Map<string, Standing>();
  readonly #wakers = new Set<() => void>();
  #isComplete = false;
  #written = 0;

  constructor(context: PinsContext) {
    this.#context = context;
  }

  /** Takes a record of partition 0. Of several pins of a group, the earliest of the greatest height counts. */
  note({ value, offset, writtenMs }: FetchedRecord, receivedAt: Instant): void {
    const record = parsePin(value);
    if (record === undefined) return;
    const known = this.#standing.get(record.group);
    if (known !== undefined && known.record.height >= record.height) return;
    const text = textOf(value);
    this.#standing.set(record.group, { record, offset, text, receivedAt, writtenMs });
    for (const wake of this.#wakers) wake();
  }

  /** Forgets all pins: the partition is read again from its start. */
  forget(): void {
    this.#standing.clear();
    this.#isComplete = false;
  }

  /** Notes that the partition was read from its start to its end. */
  complete(): void {
    this.#isComplete = true;
    for (const wake of this.#wakers) wake();
  }

  /** Whether all pins are known: until then nothing may be cut, and no first pin be written. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** A group whose leases are records of the first releases, if there is one. */
  get earlierGroup(): string | undefined {
    for (const { record } of this.#standing.values())
      if (isOfFirstReleases(record)) return record.group;
    return undefined;
  }

  /** Throws the reason for which this member may not join the group, as far as its pins are known. */
  check(): void {
    const reason = this.#difference(this.#standing.get(this.#context.group)?.record);
    if (reason) throw reason;
  }

  /**
   * Resolves once all pins are known and the group has one that agrees. If it has none, this member
   * appends one, and waits until it, or an earlier one, is read. Without `append` it waits for the pin of
   * another member, or of its own other reader.
   * @throws LeadershipError `partitions-differ`, `misconfigured-backend`
   */
  async agree(append: Append | undefined, signal: AbortSignal): Promise<void> {
    const { group } = this.#context;
    await this.#until(() => this.#isComplete, signal);
    this.check();
    const { earlierGroup } = this;
    if (earlierGroup !== undefined) throw beside(earlierGroup);
    if (!this.#standing.has(group)) await append?.(this.#first(), signal);
    await this.#until(() => this.#standing.has(group), signal);
    this.check();
  }

  /**
   * Appends the pins again that are below an offset. Returns whether a cut there loses none: not if
   * the partition is being read again meanwhile.
   */
  async carryUp(below: bigint, append: Append, signal: AbortSignal): Promise<boolean> {
    for (const standing of [...this.#standing.values()])
      if (this.#isComplete && standing.offset < below)
        await append(again(standing, this.#context.host, this.#next()), signal);
    return this.#isComplete;
  }

  async #until(holds: () => boolean, signal: AbortSignal): Promise<void> {
    while (!holds()) {
      await nextWake(this.#wakers, signal);
      signal.throwIfAborted();
    }
  }

  #first(): string {
    const { group, partitions, thresholdMs, host } = this.#context;
    const { member, incarnation } = host;
    const own = { group, member, incarnation, thresholdMs, thresholdMsMax: thresholdMs };
    return pinText({ ...own, partitions, guarantee: bySession }, this.#next());
  }

  #difference(pin: PinRecord | undefined): LeadershipError | undefined {
    const { group } = this.#context;
    if (pin === undefined || pin.metadata?.['guarantee'] === bySession) return undefined;
    const message = isOfFirstReleases(pin)
      ? `group "${group}" has no leases by session: a release that this one cannot join has opened it; ` +
        'update all members together and give the group another topic, or give this member another group'
      : `group "${group}" runs with guarantee "${guaranteeIn(pin)}", but this member is configured with guarantee "exclusive"; configure all members alike, or give this one another group`;
    return new LeadershipError('partitions-differ', message);
  }

  #next(): number {
    this.#written += 1;
    return this.#written;
  }
}

/** Returns the refusal of a topic that members of the first releases cut as they like. */
function beside(group: string): LeadershipError {
  return new LeadershipError(
    'misconfigured-backend',
    `group "${group}" of an earlier release uses the topic, and its members delete the records of other groups: give this group another topic`,
  );
}

/** Appends a record to partition 0. */
type Append = (text: string, signal: AbortSignal) => Promise<void>;

function isOfFirstReleases({ metadata }: PinRecord): boolean {
  return (metadata?.['guarantee'] ?? 'exclusive') === 'exclusive';
}

/**
 * Returns the text of a copy with a new id. The copy keeps fields of other releases, so that
 * readers lose nothing.
 */
export function again(
  { record, text }: Pick<Standing, 'record' | 'text'>,
  { member, incarnation }: PinsContext['host'],
  count: number,
): string {
  const { id, height } = record;
  return JSON.stringify({
    ...(JSON.parse(text) as object),
    id: `${member}/${incarnation}/again.${count}`,
    after: id,
    height: height + 1,
  });
}
