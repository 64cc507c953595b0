import type { LeadershipSource } from '@leadership/core';

/** Looks again and again whether two sources of this process lead at once, and whether tokens grow. */
export interface Soundness extends Disposable {
  /** Throws what was wrong at any time so far. */
  insist(): void;
}

export function watchSoundness(sources: readonly LeadershipSource[]): Soundness {
  const wrong: string[] = [];
  let last: { readonly member: string; readonly token: bigint } | undefined;
  const timer = setInterval(() => {
    const leading = sources.flatMap((source) => source.role(0).term() ?? []);
    if (leading.length > 1) wrong.push(`${leading.length} lead at once`);
    for (const [index, source] of sources.entries()) {
      const token = source.role(0).term()?.token;
      if (token === undefined || token === last?.token) continue;
      if (last !== undefined && token < last.token) wrong.push(`member ${index} leads with ${token} after ${last.token}`);
      last = { member: source.member, token };
    }
  }, 1);
  return {
    insist() {
      if (wrong.length > 0) throw new Error(wrong[0]);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
