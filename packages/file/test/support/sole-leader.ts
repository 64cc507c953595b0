import type { LeadershipSource } from '@leadership/core';

/** Checks every millisecond how many of the sources lead role 0, until disposed. */
export interface SoleLeader extends Disposable {
  /** The greatest token of any term so far. */
  readonly token: bigint;
  /** Returns the source that leads now. */
  leader(): LeadershipSource | undefined;
  /** The violations: two leaders at once, or a token that did not grow. */
  readonly wrongs: readonly string[];
}

export function soleLeader(...sources: readonly LeadershipSource[]): SoleLeader {
  const wrongs: string[] = [];
  let token = 0n;
  const leading = (): readonly LeadershipSource[] =>
    sources.filter((source) => source.role(0).isLeading());
  const look = (): void => {
    const [leader, ...others] = leading();
    const now = leader?.role(0).term()?.token ?? token;
    if (others.length > 0) wrongs.push(`${others.length + 1} lead at once`);
    if (now < token) wrongs.push(`token ${now} after ${token}`);
    else token = now;
  };
  const timer = setInterval(look, 1);
  return {
    get token() {
      return token;
    },
    leader() {
      look();
      return leading()[0];
    },
    wrongs,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
