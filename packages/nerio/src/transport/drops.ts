// Counts the messages that a transport dropped, for `health()`.
import type { Drop } from './transport.ts';

/** The number of dropped messages, by reason. */
export type Drops = Record<Drop, number>;

/** Counts that are all zero. */
export function noDrops(): Drops {
  return {
    malformed: 0,
    oversized: 0,
    forged: 0,
    replayed: 0,
    'wrong-version': 0,
    'wrong-group': 0,
    'wrong-epoch': 0,
    misdirected: 0,
    'pin-differs': 0,
    flood: 0,
    unsent: 0,
  };
}
