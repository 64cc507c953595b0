// Cuts what nobody needs off the start of the topic's partitions (L10). Whoever leads a partition of the election looks after
// the topic's partition of that number; that several groups' leaders do so at once harms nobody.
import { LeadershipError } from '@leadership/core';
import type { Raised } from '@leadership/core/backend';
import { formatRecord, type LedgerRecord, pinRegister } from '@leadership/core/ledger';
import type { Chains } from './chains.ts';
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
  /** So many records at least are cut off at once. */
  readonly batch: number;
  readonly signal: AbortSignal;
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
export type Due = { readonly kind: 'carry'; readonly pin: LedgerRecord } | { readonly kind: 'cut'; readonly below: bigint };

/** After a try nothing more is tried before so many times as many records: a cut may fail, for want of rights or of a broker. */
const patience = 4n;

export function pruning(options: PruningOptions): Pruning {
  const batch = BigInt(options.batch);
  /** Up to where nothing is tried again. */
  const quietUntil = new Map<number, bigint>();
  let carried = 0;
  return {
    look(extent, chains) {
      const { partition, end } = extent;
      if (end < (quietUntil.get(partition) ?? 0n)) return;
      const due = dueIn(extent, chains, options);
      if (due === undefined) return;
      quietUntil.set(partition, end + (due.kind === 'carry' ? batch / 8n : patience * batch));
      if (due.kind === 'cut') return void cut(options, partition, due.below).then((isCut) => isCut && quietUntil.delete(partition));
      carried += 1;
      options.sender.send(partition, formatRecord(pinAgain(due.pin, options, carried)), options.signal).catch(() => undefined);
    },
  };
}

/** What is to be done for a partition of the topic, by whoever leads the partition of the election of that number. */
export function dueIn(
  { partition, start, end }: Extent,
  chains: Chains,
  { group, incarnation, batch }: Pick<PruningOptions, 'group' | 'incarnation' | 'batch'>,
): Due | undefined {
  if (chains.current(group, partition)?.record.incarnation !== incarnation) return undefined;
  const pin = partition === 0 ? chains.current(group, pinRegister) : undefined;
  // The pin is never renewed: written again further up, it holds nothing back.
  if (pin !== undefined && end - pin.offset >= batch) return { kind: 'carry', pin: pin.record };
  const below = chains.lowest() ?? start;
  return below - start >= batch ? { kind: 'cut', below } : undefined;
}

async function cut({ topic, warnings, signal }: PruningOptions, partition: number, offset: bigint): Promise<boolean> {
  try {
    await administer(
      topic,
      async (admin, answer) => {
        // KafkaJS finds the leaders only once it has been asked for the topic.
        await answer(admin.fetchTopicMetadata({ topics: [topic.topic] }));
        await answer(admin.deleteTopicRecords({ topic: topic.topic, partitions: [{ partition, offset: String(offset) }] }));
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

/** The same pin as a new record: whoever reads it finds what stood there before. */
function pinAgain(pin: LedgerRecord, { member, incarnation }: PruningOptions, count: number): LedgerRecord {
  return { ...pin, id: `${member}/${incarnation}/pin.again.${count}`, after: pin.id, height: pin.height + 1, member, incarnation };
}
