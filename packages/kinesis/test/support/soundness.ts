import type { LeadershipSource } from '@leadership/core';

/**
 * Checks every millisecond that no two sources of this process lead at once, and that tokens grow.
 */
export interface Soundness extends Disposable {
  /** Throws the first violation found so far. */
  insist(): void;
}

export function watchSoundness(sources: readonly LeadershipSource[], partitions = 1): Soundness {
  const wrong: string[] = [];
  const last = new Map<number, bigint>();
  const look = (partition: number): void => {
    const terms = sources.flatMap((source) => source.role(partition).term() ?? []);
    if (terms.length > 1) wrong.push(`${terms.length} lead partition ${partition} at once`);
    for (const { token } of terms) {
      const before = last.get(partition) ?? token;
      if (token < before) wrong.push(`partition ${partition} is led with ${token} after ${before}`);
      last.set(partition, token);
    }
  };
  const timer = setInterval(() => {
    for (let partition = 0; partition < partitions; partition += 1) look(partition);
  }, 1);
  return {
    insist() {
      if (wrong.length > 0) throw new Error(wrong[0]);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
