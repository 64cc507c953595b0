// Keeps reading all registers of a group, each of which keeps the lease of one partition.
import type { Clock, Instant } from '@leadership/core/adapter';
import { after, type InFlight, type Notifier } from '@leadership/core/internal/engine';
import { type LedgerEvent, pinRegister } from '@leadership/core/internal/lease';
import type { Reader } from './reader.ts';

/** The inputs of `follow` besides the readers. */
export interface Following {
  readonly clock: Clock;
  readonly pollMs: number;
  /** Rings when a register may have changed. */
  readonly notifier: Notifier;
  readonly busy: InFlight;
  /** Whether the ledger is closed. Ends the reader like an aborted signal. */
  readonly isOver: () => boolean;
  /** Called when the disk has answered. */
  readonly confirmed: () => void;
}

/** The pin is written once, so it is polled in every eighth round only, to detect its deletion. */
const pinRounds = 8;

/**
 * Reads the registers, then follows them until the signal aborts. It reads when a watch reports a
 * change, and every `pollMs`.
 */
export async function* follow(
  readers: readonly Reader[],
  following: Following,
  signal: AbortSignal,
): AsyncGenerator<LedgerEvent> {
  const { clock, pollMs, notifier, busy, confirmed } = following;
  const isOver = (): boolean => signal.aborted || following.isOver();
  signal.addEventListener('abort', notifier.notify, { once: true });
  try {
    yield* opened(readers, await busy.track(ask(readers, (reader) => reader.open())));
    let round = 0;
    for (let pollAt = after(clock.now(), pollMs); !isOver(); ) {
      await notifier.until(earliest(pollAt, readers));
      if (isOver()) return;
      if (clock.now() >= pollAt) {
        yield* await busy.track(ask(dueIn(round, readers), (reader) => reader.poll()));
        round += 1;
        confirmed();
        pollAt = after(clock.now(), pollMs);
      }
      if (readers.some((reader) => reader.isChanging()))
        yield* await busy.track(ask(readers, (reader) => reader.look()));
    }
  } finally {
    signal.removeEventListener('abort', notifier.notify);
  }
}

type Reported = Promise<readonly LedgerEvent[]> | readonly LedgerEvent[];
type Unreadable = LedgerEvent & { readonly kind: 'unreadable' };

/**
 * Collects the news of the readers. If several readers all fail, the cause is not a single
 * register: throws.
 */
async function ask(
  readers: readonly Reader[],
  question: (reader: Reader) => Reported,
): Promise<readonly LedgerEvent[]> {
  const updates = (await Promise.all(readers.map(question))).flat();
  const [first, ...others] = updates.filter(isUnreadable);
  if (first !== undefined && others.length > 0 && others.length === readers.length - 1)
    throw first.error;
  return updates;
}

/**
 * Completes the news of the first read. Throws if the pin is unreadable, because nothing is known
 * without it (R3).
 */
function opened(
  readers: readonly Reader[],
  updates: readonly LedgerEvent[],
): readonly LedgerEvent[] {
  const broken = new Map(
    updates.filter(isUnreadable).map(({ partition, error }) => [partition, error]),
  );
  if (broken.has(pinRegister)) throw broken.get(pinRegister);
  const read = readers
    .map(({ register }) => register.place.partition)
    .filter((partition) => !broken.has(partition));
  return [...updates, { kind: 'end', partitions: read }];
}

function isUnreadable(update: LedgerEvent): update is Unreadable {
  return update.kind === 'unreadable';
}

function earliest(pollAt: Instant, readers: readonly Reader[]): Instant {
  return readers.reduce((first, { retryAt }) => (retryAt < first ? retryAt : first), pollAt);
}

function dueIn(round: number, readers: readonly Reader[]): readonly Reader[] {
  return round % pinRounds === 0
    ? readers
    : readers.filter(({ register }) => register.place.partition !== pinRegister);
}
