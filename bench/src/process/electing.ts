import type { LeadershipSource } from '@leadership/core';
import { nowNs, say } from './parent.ts';

/** What every member process says of its election. Instants are nanoseconds on the host's monotonic clock, as text. */
export type ElectingTold =
  | { readonly kind: 'ready' }
  /** It leads that partition from now on. */
  | { readonly kind: 'leading'; readonly partition: number; readonly atNs: string }
  /** It leads that partition no more: `fenced` where its lease ended before it let go, and `waiting` may follow much later. */
  | { readonly kind: 'fenced' | 'waiting'; readonly partition: number; readonly atNs: string }
  /** It was told to resign, and begins. */
  | { readonly kind: 'resigning'; readonly atNs: string };

/** In a child: says of each partition when it begins to lead there, and when no more. */
export function tellStates(source: LeadershipSource, partitions: number): void {
  for (let partition = 0; partition < partitions; partition += 1) {
    source.role(partition).leadership$.subscribe(({ state }) => {
      if (state === 'leading' || state === 'fenced' || state === 'waiting')
        void say<ElectingTold>({ kind: state, partition, atNs: nowNs() });
    });
  }
}

/** In a child: resigns from partition 0, and says when it began to. */
export async function resignTold(source: LeadershipSource): Promise<void> {
  void say<ElectingTold>({ kind: 'resigning', atNs: nowNs() });
  await source.role(0).resign();
}
