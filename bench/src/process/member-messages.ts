import type { LeadershipSource } from '@leadership/core';
import { nowNs, report } from '@leadership/tools/processes';

/**
 * The messages of every member process. Instants are nanoseconds on the host's monotonic clock, as
 * decimal strings.
 */
export type ElectionMessage =
  | { readonly kind: 'ready' }
  /** The member begins to lead this partition. */
  | { readonly kind: 'leading'; readonly partition: number; readonly atNs: string }
  /**
   * The member no longer leads this partition. After `fenced` (the lease expired before a release),
   * `waiting` may follow much later.
   */
  | { readonly kind: 'fenced' | 'waiting'; readonly partition: number; readonly atNs: string }
  /** The member begins to resign, after the command `resign`. */
  | { readonly kind: 'resigning'; readonly atNs: string };

/** In a child process: reports when the member begins and ceases to lead each partition. */
export function reportStates(source: LeadershipSource, partitions: number): void {
  for (let partition = 0; partition < partitions; partition += 1) {
    source.role(partition).leadership$.subscribe(({ state }) => {
      if (state === 'leading' || state === 'fenced' || state === 'waiting')
        void report<ElectionMessage>({ kind: state, partition, atNs: nowNs() });
    });
  }
}

/** In a child process: resigns from partition 0, and reports the beginning. */
export async function resignAndReport(source: LeadershipSource): Promise<void> {
  void report<ElectionMessage>({ kind: 'resigning', atNs: nowNs() });
  await source.role(0).resign();
}
