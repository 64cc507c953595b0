import type { Drop } from './transport.ts';

/** How much of what was dropped. */
export type Drops = Record<Drop, number>;

/** Nothing yet. */
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
