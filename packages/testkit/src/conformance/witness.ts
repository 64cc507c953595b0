import type { LeadershipSource } from '@leadership/core';

/** Sees every member of this process at once, and remembers what must not be seen. */
export interface Witness extends Disposable {
  /** One more member to look at. Returns it. */
  watch(source: LeadershipSource): LeadershipSource;
  /** The first moment at which two members led one partition, in words. */
  readonly secondLeader: string | undefined;
  /** The first term whose token was not greater than every earlier one's of its partition, in words. */
  readonly smallerToken: string | undefined;
  /** How many terms began. */
  readonly terms: number;
}

/** How often it looks by itself; besides at every event. Milliseconds. */
const periodMs = 1;

/** Watches `sources`, and whoever is added. */
export function witness(...sources: readonly LeadershipSource[]): Witness {
  const watched = new Set<LeadershipSource>();
  const greatest = new Map<number, bigint>();
  const seen: { secondLeader?: string | undefined; smallerToken?: string; terms: number } = { terms: 0 };
  const look = (): void => {
    seen.secondLeader ??= secondLeaderIn(watched);
  };
  const began = (member: string, partition: number, token: bigint): void => {
    const before = greatest.get(partition) ?? -1n;
    seen.terms += 1;
    if (token > before) greatest.set(partition, token);
    else seen.smallerToken ??= `${member} began to lead partition ${partition} with token ${token}, after ${before} had been seen`;
  };
  const watch = (source: LeadershipSource): LeadershipSource => {
    watched.add(source);
    source.events$.subscribe(({ kind, member, partition, token }) => {
      if (kind === 'acquired' && partition !== undefined && token !== undefined) began(member, partition, token);
      look();
    });
    return source;
  };
  const timer = setInterval(look, periodMs);
  sources.forEach(watch);
  return {
    watch,
    get secondLeader() {
      look();
      return seen.secondLeader;
    },
    get smallerToken() {
      return seen.smallerToken;
    },
    get terms() {
      return seen.terms;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function secondLeaderIn(sources: ReadonlySet<LeadershipSource>): string | undefined {
  const [any] = sources;
  for (let partition = 0; partition < (any?.partitions ?? 0); partition += 1) {
    // Asked twice: a deadline that passes between two questions is no second leader.
    const leading = [...sources].filter((source) => source.role(partition).isLeading());
    const still = leading.length > 1 ? leading.filter((source) => source.role(partition).isLeading()) : [];
    if (still.length > 1) return `${still.map(({ member }) => member).join(' and ')} led partition ${partition} at once`;
  }
  return undefined;
}
