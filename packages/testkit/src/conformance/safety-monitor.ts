// Watches in every check with several members that no two lead at once.
import type { LeadershipSource } from '@leadership/core';
import { Unsafe } from './failure.ts';

/** Monitors all members in this process and records violations of safety. */
export interface SafetyMonitor extends Disposable {
  /** Adds a member to monitor and returns it. */
  watch(source: LeadershipSource): LeadershipSource;
  /**
   * Asserts that no violation was recorded so far.
   * @throws Unsafe if two members led one partition at once, or if the token of a term did not grow
   */
  assertSound(): void;
  /** The number of terms that began. */
  readonly terms: number;
}

/** The polling period in milliseconds. Every event triggers an additional poll. */
const periodMs = 1;

/** Starts monitoring `sources`; `watch` adds more. */
export function safetyMonitor(...sources: readonly LeadershipSource[]): SafetyMonitor {
  const watched = new Set<LeadershipSource>();
  const greatest = new Map<number, bigint>();
  const seen: { secondLeader?: string | undefined; smallerToken?: string; terms: number } = {
    terms: 0,
  };
  const look = (): void => {
    seen.secondLeader ??= secondLeaderIn(watched);
  };
  const began = (
    { member, guarantees }: LeadershipSource,
    partition: number,
    token: bigint,
  ): void => {
    const before = greatest.get(partition) ?? -1n;
    seen.terms += 1;
    if (token > before) greatest.set(partition, token);
    else if (guarantees.tokens === 'ordered')
      seen.smallerToken ??= `${member} began to lead partition ${partition} with token ${token}, after ${before} had been seen`;
  };
  const watch = (source: LeadershipSource): LeadershipSource => {
    watched.add(source);
    source.events$.subscribe(({ kind, partition, token }) => {
      if (kind === 'acquired' && partition !== undefined && token !== undefined)
        began(source, partition, token);
      look();
    });
    return source;
  };
  const timer = setInterval(look, periodMs);
  sources.forEach(watch);
  return {
    watch,
    assertSound() {
      look();
      const found = seen.secondLeader ?? seen.smallerToken;
      if (found !== undefined) throw new Unsafe(found);
    },
    get terms() {
      return seen.terms;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function secondLeaderIn(sources: ReadonlySet<LeadershipSource>): string | undefined {
  const [any] = sources;
  if (any?.guarantees.exclusive === false) return undefined;
  for (let partition = 0; partition < (any?.partitions ?? 0); partition += 1) {
    // Each source is queried twice, because a deadline may pass between the two queries.
    const leading = [...sources].filter((source) => source.role(partition).isLeading());
    const still =
      leading.length > 1 ? leading.filter((source) => source.role(partition).isLeading()) : [];
    if (still.length > 1)
      return `${still.map(({ member }) => member).join(' and ')} led partition ${partition} at once`;
  }
  return undefined;
}
