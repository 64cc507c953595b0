import { latest } from '../flow/latest.ts';
import type { Placement, Ranks } from '../ledger/placement.ts';

/** Who is to lead what by command: partition → incarnation, or nobody. Partitions that are not in it are placed as ever. */
export interface Steering {
  steer(partition: number, incarnation: string | undefined): void;
  free(partition: number): void;
  isSteered(partition: number): boolean;
  /** A placement under command. */
  steered(placement: Placement): Placement;
}

export function steering(): Steering {
  const commands = new Map<number, Ranks>();
  const rankers = new Set<() => void>();
  const changed = (): void => {
    for (const rerank of rankers) rerank();
  };
  return {
    steer(partition, incarnation) {
      commands.set(partition, incarnation === undefined ? [] : [incarnation]);
      changed();
    },
    free(partition) {
      commands.delete(partition);
      changed();
    },
    isSteered: (partition) => commands.has(partition),
    steered: (placement) => ({
      ...placement,
      async *ranks(signal) {
        const ranks = latest<ReadonlyMap<number, Ranks>>();
        let placed: ReadonlyMap<number, Ranks> = new Map();
        const rerank = (): void => ranks.set(new Map([...placed, ...commands]));
        rankers.add(rerank);
        try {
          void feed(placement.ranks(signal), (now) => {
            placed = now;
            rerank();
          });
          yield* ranks.follow(signal);
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
