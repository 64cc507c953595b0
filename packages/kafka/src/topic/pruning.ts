// Deletes the unneeded start of the topic's partitions (L10). The leader of an election partition
// prunes the topic's partition of the same number. Leaders of several groups may do so at once.
//
// A record that is never renewed (a pin, or the chain of a dead group) would block the cut
// permanently. The pruner carries it up: it writes a copy at the end of the log, as an ordinary
// attempt (L1). The copy proves no lease, because no member knows its id (L3), and a holder that is
// still alive continues from it.
//
// The pruner also carries up old records in a topic with few writes. An operator's topic may have a
// retention that removes them, and without its pin a group could be led by members with different
// configurations (R3).
import type { Clock, Instant } from '@leadership/core/adapter';
import { after, type HealthReporter } from '@leadership/core/internal/engine';
import { pinRegister } from '@leadership/core/internal/lease';
import type { Chains, Standing } from './chains.ts';
import { cut } from './cut.ts';
import type { Sender } from './sender.ts';
import type { TopicOptions } from './topic.ts';

/** Options of {@link pruning}. */
export interface PruningOptions {
  readonly topic: TopicOptions;
  readonly group: string;
  readonly member: string;
  readonly incarnation: string;
  readonly sender: Sender;
  readonly warnings: HealthReporter;
  readonly clock: Clock;
  readonly pace: PruningPace;
  readonly signal: AbortSignal;
}

/** The thresholds of pruning. */
export interface PruningPace {
  /** The least number of records that one cut removes. */
  readonly batch: number;
  /** How long another group's chain must be unchanged before it is carried up, in milliseconds. */
  readonly stillMs: number;
  /**
   * The age at which an unchanged record is carried up, in milliseconds. For another group's record
   * the age is doubled, because that group has leaders of its own.
   */
  readonly oldMs: number;
}

/** The offsets of a partition of the topic that was read to its end. */
export interface Extent {
  readonly partition: number;
  readonly start: bigint;
  readonly end: bigint;
}

/** Prunes the topic's partitions that one member leads. */
export interface Pruning {
  /** Called after a partition was read further. */
  look(extent: Extent, chains: Chains): void;
}

/** The next step of pruning a partition. */
export type Due =
  | { readonly kind: 'carry'; readonly what: readonly Standing[] }
  | { readonly kind: 'cut'; readonly below: bigint };

/**
 * A chain has no live holder if its record is older than this multiple of its own T: every
 * candidate's wait is over.
 */
const stillThresholds = 10;

/**
 * After an attempt, the next one waits for this number of batches: a cut may fail for lack of
 * rights or of a broker.
 */
const retryBatches = 4n;
/** A copy that was not read back after this time counts as lost, in milliseconds. */
const carryAgainMs = 5_000;

export function pruning(options: PruningOptions): Pruning {
  const batch = BigInt(options.pace.batch);
  /** The end offset before which no cut is attempted, by partition. */
  const quietUntil = new Map<number, bigint>();
  /** The ids of records that were carried up, and when each may be carried up again. */
  const carriedUntil = new Map<string, Instant>();
  let carried = 0;
  const isQuiet = ({ partition, end }: Extent): boolean => {
    const quiet = (quietUntil.get(partition) ?? 0n) - end;
    // A recreated topic starts at offset 0.
    return quiet > 0n && quiet <= retryBatches * batch;
  };
  const carry = (partition: number, standing: Standing): void => {
    carried += 1;
    options.sender
      .send(partition, again(standing, options, carried), options.signal)
      .catch(() => undefined);
  };
  const carryAll = (partition: number, what: readonly Standing[], now: Instant): void => {
    for (const [id, until] of carriedUntil) if (until <= now) carriedUntil.delete(id);
    for (const standing of what.filter(({ record }) => !carriedUntil.has(record.id))) {
      carriedUntil.set(standing.record.id, after(now, carryAgainMs));
      carry(partition, standing);
    }
  };
  const cutOff = (extent: Extent, below: bigint): void => {
    const { partition, end } = extent;
    if (isQuiet(extent)) return;
    quietUntil.set(partition, end + retryBatches * batch);
    void cut(options, partition, below).then((isCut) => isCut && quietUntil.delete(partition));
  };
  return {
    look(extent, chains) {
      const now = options.clock.now();
      const due = dueIn(extent, chains, { ...options, now });
      if (due?.kind === 'carry') carryAll(extent.partition, due.what, now);
      if (due?.kind === 'cut') cutOff(extent, due.below);
    },
  };
}

/**
 * Returns the next step for a partition of the topic; `undefined` if this member does not lead it,
 * or if no step is due.
 */
export function dueIn(
  { partition, start, end }: Extent,
  chains: Chains,
  {
    group,
    incarnation,
    pace,
    now,
  }: Pick<PruningOptions, 'group' | 'incarnation' | 'pace'> & { readonly now: Instant },
): Due | undefined {
  const own = chains.current(group, partition);
  if (own?.record.incarnation !== incarnation) return undefined;
  const isBehind = ({ offset }: Standing): boolean => end - offset >= pace.batch;
  const isOld = (one: Standing): boolean =>
    ageMs(one, chains, now) >= (one.record.group === group ? pace.oldMs : 2 * pace.oldMs);
  const what = [...chains.all()].filter(
    (one) => one !== own && (isBehind(one) || isOld(one)) && isStill(one, group, pace, now),
  );
  if (what.length > 0) return { kind: 'carry', what };
  const below = chains.lowest() ?? start;
  return below - start >= pace.batch ? { kind: 'cut', below } : undefined;
}

/**
 * Returns a lower bound of a record's age. This member may have started reading just now, so the
 * time stamps of later records count too.
 */
function ageMs({ receivedAt, writtenMs }: Standing, chains: Chains, now: Instant): number {
  return Math.max(now - receivedAt, chains.newestMs() - writtenMs);
}

/**
 * Returns whether no writer is expected. Of the member's own group, only the pin is unchanged at
 * any age.
 */
function isStill(
  { record, receivedAt }: Standing,
  group: string,
  { stillMs }: PruningPace,
  now: Instant,
): boolean {
  if (record.group === group && record.partition === pinRegister) return true;
  return now >= after(receivedAt, Math.max(stillMs, stillThresholds * record.thresholdMs));
}

/**
 * Returns the text of a copy with a new id. The copy keeps fields of other releases, so that
 * readers lose nothing.
 */
export function again(
  { record, text }: Standing,
  { member, incarnation }: Pick<PruningOptions, 'member' | 'incarnation'>,
  count: number,
): string {
  const { id, height } = record;
  return JSON.stringify({
    ...fieldsOf(text),
    id: `${member}/${incarnation}/again.${count}`,
    after: id,
    height: height + 1,
  });
}

function fieldsOf(text: string): object {
  return JSON.parse(text) as object;
}
