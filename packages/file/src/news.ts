import { after, type Clock } from '@leadership/core/backend';
import { type LedgerNews, pinRegister } from '@leadership/core/ledger';
import type { Bell } from './bell.ts';
import type { Busy } from './busy.ts';
import type { Register } from './register.ts';

/** What following needs of its ledger. */
export interface Following {
  readonly clock: Clock;
  readonly pollMs: number;
  /** Rings when a register has stirred. */
  readonly bell: Bell;
  readonly busy: Busy;
  /** Whether the ledger is closed: as if the signal had aborted. */
  readonly isOver: () => boolean;
  /** The disk answered. */
  readonly confirmed: () => void;
}

/** The group's pin is written once: a look at every so many polls notices that it was deleted. */
const pinRounds = 8;

/** Reads the registers, then follows them until the signal aborts: by what the watches tell, and every `pollMs` by itself. */
export async function* follow(registers: readonly Register[], following: Following, signal: AbortSignal): AsyncGenerator<LedgerNews> {
  const { clock, pollMs, bell, busy, confirmed } = following;
  const isOver = (): boolean => signal.aborted || following.isOver();
  const each = <T>(act: (register: Register) => Promise<T> | T): Promise<T[]> => busy.with(Promise.all(registers.map(act)));
  signal.addEventListener('abort', bell.ring, { once: true });
  try {
    for (const news of await each((register) => register.open())) yield* news;
    yield { kind: 'end', partitions: registers.map(({ place }) => place.partition) };
    let round = 0;
    for (let pollAt = after(clock.now(), pollMs); !isOver(); ) {
      await bell.until(pollAt);
      if (isOver()) return;
      if (clock.now() >= pollAt) {
        await busy.with(Promise.all(dueIn(round, registers).map((register) => register.poll())));
        round += 1;
        confirmed();
        pollAt = after(clock.now(), pollMs);
      }
      for (const news of await each((register) => register.look())) yield* news;
    }
  } finally {
    signal.removeEventListener('abort', bell.ring);
  }
}

function dueIn(round: number, registers: readonly Register[]): readonly Register[] {
  return round % pinRounds === 0 ? registers : registers.filter(({ place }) => place.partition !== pinRegister);
}
