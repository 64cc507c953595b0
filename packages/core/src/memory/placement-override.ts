import { asyncQueue } from '../async/queue.ts';
import type { Placement, Ranks } from '../ledger/placement.ts';

/**
 * Commands that override placement: partition → incarnation, or no leader. Other partitions are
 * placed as usual.
 */
export interface PlacementOverride {
  set(partition: number, incarnation: string | undefined): void;
  free(partition: number): void;
  isOverridden(partition: number): boolean;
  /** Wraps a placement so that commands take precedence. */
  wrap(placement: Placement): Placement;
}

export function placementOverride(): PlacementOverride {
  const commands = new Map<number, Ranks>();
  const rankers = new Set<(partition: number) => void>();
  const changed = (partition: number): void => {
    for (const rerank of rankers) rerank(partition);
  };
  return {
    set(partition, incarnation) {
      commands.set(partition, incarnation === undefined ? [] : [incarnation]);
      changed(partition);
    },
    free(partition) {
      commands.delete(partition);
      changed(partition);
    },
    isOverridden: (partition) => commands.has(partition),
    wrap: (placement) => ({
      ...placement,
      async *ranks(signal) {
        const ranks = asyncQueue<ReadonlyMap<number, Ranks>>();
        const placed = new Map<number, Ranks>();
        const rerank = (partition: number): void => {
          const now = commands.get(partition) ?? placed.get(partition);
          if (now) ranks.push(new Map([[partition, now]]));
        };
        if (commands.size > 0) ranks.push(new Map(commands));
        rankers.add(rerank);
        try {
          void feed(placement.ranks(signal), (now) => {
            for (const [partition, order] of now) placed.set(partition, order);
            ranks.push(
              new Map(
                [...now].map(([partition, order]) => [partition, commands.get(partition) ?? order]),
              ),
            );
          });
          yield* ranks.drain(signal);
        } finally {
          rankers.delete(rerank);
        }
      },
    }),
  };
}

async function feed<T>(items: AsyncIterable<T>, each: (item: T) => void): Promise<void> {
  for await (const item of items) each(item);
}
