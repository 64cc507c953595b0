import type { LeadershipSource } from '@leadership/core';

/** Looks again and again how many of the sources lead role 0, until disposed. */
export interface SoleLeader extends Disposable {
  /** The greatest token that one of them led with so far. */
  readonly token: bigint;
  /** The source that leads now. */
  leader(): LeadershipSource | undefined;
  /** What no group may do: more than one leads, or a term has no greater token than the one before. */
  readonly wrongs: readonly string[];
}

export function soleLeader(...sources: readonly LeadershipSource[]): SoleLeader {
  const wrongs: string[] = [];
  let token = 0n;
  const leading = (): readonly LeadershipSource[] => sources.filter((source) => source.role(0).isLeading());
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
