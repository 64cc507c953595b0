// Cuts what nobody needs off the start of the topic's partitions (L10). Whoever leads a partition of the election looks after
// the topic's partition of that number; that several groups' leaders do so at once harms nobody.
//
// What nobody renews, a pin or the chain of a group that is dead, would hold back the cut for ever. It is carried up instead: written
// again behind what is current, as an attempt like any other (L1). Nobody believes by it, as nobody knows its id (L3), and whoever
// holds the lease still goes on from there. The same for what has grown old, however little was written since: an operator's topic may
// have its brokers remove that, and a group whose pin is gone could be led by members that are configured differently (R3).
import { LeadershipError } from '@leadership/core';
import { after, type Clock, type Instant, type Raised } from '@leadership/core/backend';
import { pinRegister } from '@leadership/core/ledger';
import type { Chains, Standing } from './chains.ts';
import type { Sender } from './sender.ts';
import { administer, type TopicOptions } from './topic.ts';

/** What pruning needs. */
export interface PruningOptions {
  readonly topic: TopicOptions;
  readonly group: string;
  readonly member: string;
  readonly incarnation: string;
  readonly sender: Sender;
  readonly warnings: Raised;
  readonly clock: Clock;
  readonly pace: PruningPace;
  readonly signal: AbortSignal;
}

/** When something is done. */
export interface PruningPace {
  /** So many records at least are cut off at once. */
  readonly batch: number;
  /** How long another group's chain has to stand still, at the least, before it is carried up. Milliseconds. */
  readonly stillMs: number;
  /** How old something may grow that stands still before it is carried up: of another group twice as old, as that has leaders too. Milliseconds. */
  readonly oldMs: number;
}

/** Where a partition of the topic stands, after it was read to its end. */
export interface Extent {
  readonly partition: number;
  readonly start: bigint;
  readonly end: bigint;
}

/** Looks after one member's share of the topic. */
export interface Pruning {
  /** A partition was read on. */
  look(extent: Extent, chains: Chains): void;
}

/** What would make the topic shorter. */
export type Due = { readonly kind: 'carry'; readonly what: readonly Standing[] } | { readonly kind: 'cut'; readonly below: bigint };

/** A chain whose record is older than so many of its own T has no holder that lives: its candidates had their chance. */
const stillThresholds = 10;

/** After a try nothing more is tried before so many times as many records: a cut may fail, for want of rights or of a broker. */
const patience = 4n;
/** A copy is read back within a round trip, and may get lost. Milliseconds. */
const carryAgainMs = 5_000;

export function pruning(options: PruningOptions): Pruning {
  const batch = BigInt(options.pace.batch);
  /** Up to where nothing is tried again. */
  const quietUntil = new Map<number, bigint>();
  /** What was carried up, and when it may be once more: id → instant. */
  const carriedUntil = new Map<string, Instant>();
  let carried = 0;
  const isQuiet = ({ partition, end }: Extent): boolean => {
    const quiet = (quietUntil.get(partition) ?? 0n) - end;
    // A topic that was made again begins at nothing.
    return quiet > 0n && quiet <= patience * batch;
  };
  const carry = (partition: number, standing: Standing): void => {
    carried += 1;
    options.sender.send(partition, again(standing, options, carried), options.signal).catch(() => undefined);
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
    quietUntil.set(partition, end + patience * batch);
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

/** What is to be done for a partition of the topic, by whoever leads the partition of the election of that number. */
export function dueIn(
  { partition, start, end }: Extent,
  chains: Chains,
  { group, incarnation, pace, now }: Pick<PruningOptions, 'group' | 'incarnation' | 'pace'> & { readonly now: Instant },
): Due | undefined {
  const own = chains.current(group, partition);
  if (own?.record.incarnation !== incarnation) return undefined;
  const isBehind = ({ offset }: Standing): boolean => end - offset >= pace.batch;
  const isOld = (one: Standing): boolean => ageMs(one, chains, now) >= (one.record.group === group ? pace.oldMs : 2 * pace.oldMs);
  const what = [...chains.all()].filter((one) => one !== own && (isBehind(one) || isOld(one)) && isStill(one, group, pace, now));
  if (what.length > 0) return { kind: 'carry', what };
  const below = chains.lowest() ?? start;
  return below - start >= pace.batch ? { kind: 'cut', below } : undefined;
}

/** At least, as this member has seen it stand there, or by the stamps of what was written since: it may have begun to read only just now. */
function ageMs({ receivedAt, writtenMs }: Standing, chains: Chains, now: Instant): number {
  return Math.max(now - receivedAt, chains.newestMs() - writtenMs);
}

/** Whether nobody is about to write there: of one's own group only the pin stands beside what is led. */
function isStill({ record, receivedAt }: Standing, group: string, { stillMs }: PruningPace, now: Instant): boolean {
  if (record.group === group && record.partition === pinRegister) return true;
  return now >= after(receivedAt, Math.max(stillMs, stillThresholds * record.thresholdMs));
}

async function cut({ topic, warnings, signal }: PruningOptions, partition: number, offset: bigint): Promise<boolean> {
  try {
    await administer(
      topic,
      async (admin, answer) => {
        // A connection of its own: brokers answer only once every replica has cut too, and renewals must not wait behind that.
        await answer(admin.find());
        await answer(admin.cut(partition, offset));
      },
      signal,
    );
    warnings.mend('pruning');
    return true;
  } catch (error) {
    const isForbidden = error instanceof LeadershipError && error.code === 'unauthorized';
    if (isForbidden && !signal.aborted && topic.check === 'full')
      warnings.raise('pruning', new LeadershipError(error.code, grows(topic), { cause: error }));
    return false;
  }
}

function grows({ topic }: TopicOptions): string {
  return `topic ${topic}: old records cannot be removed, and it grows: grant Delete on it`;
}

/** The same as a new record, with everything that another release may have put in it: whoever reads it finds what stood there before. */
export function again(
  { record, text }: Standing,
  { member, incarnation }: Pick<PruningOptions, 'member' | 'incarnation'>,
  count: number,
): string {
  const { id, height } = record;
  return JSON.stringify({ ...fieldsOf(text), id: `${member}/${incarnation}/again.${count}`, after: id, height: height + 1 });
}

function fieldsOf(text: string): object {
  return JSON.parse(text) as object;
}
