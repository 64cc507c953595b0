// Watches the groups of the members that `leadership guard` protects, and releases the leases of
// dead ones.
import type { LeadershipSource, Roster } from '@leadership/core';
import { type GuardHello, reportDeath } from '@leadership/core/internal/guard';
import { openSource, thresholdMsOf } from '../open-source.ts';
import { stderrLog } from '../say.ts';

/** How long a group is observed after its last member left: a late request may land (L4). */
const usualIdleMs = 60_000;

interface Observed {
  readonly source: Promise<LeadershipSource>;
  /** When the term of each partition was first seen. */
  readonly terms: Map<number, { readonly token: bigint; readonly since: number }>;
  /** One for each connection: a member may connect again before the end of its first one is judged. */
  readonly members: Set<GuardHello>;
  timer: NodeJS.Timeout | undefined;
}

/** The partitions that a dead member led, by what happens to their leases. */
export interface Released {
  readonly released: readonly number[];
  /** Their terms were younger than T (L13). */
  readonly lapsing: readonly number[];
}

/**
 * The groups of the members that are connected. Each is observed by one source, which has read the
 * leases before a member dies, and releases them afterwards (L16).
 */
export class Observers {
  readonly #byUrl = new Map<string, Observed>();
  readonly #idleMs: number;

  /** `idleMs`: how long a group is observed after its last member left. */
  constructor(idleMs: number = usualIdleMs) {
    this.#idleMs = idleMs;
  }

  /** Observes a group for one more member. Rejects if it cannot be opened. */
  async add(url: string, member: GuardHello): Promise<void> {
    const observed = this.#byUrl.get(url) ?? this.#open(url);
    observed.members.add(member);
    clearTimeout(observed.timer);
    await observed.source;
  }

  /** Observes a group for one member less, unless it could not be opened for that member. */
  remove(url: string, member: GuardHello): void {
    const observed = this.#byUrl.get(url);
    if (observed?.members.delete(member) !== true || observed.members.size > 0) return;
    observed.timer = setTimeout(() => {
      this.#byUrl.delete(url);
      void closed(observed);
    }, this.#idleMs);
    observed.timer.unref();
  }

  /**
   * Releases what the dead incarnation of `member` holds. Resolves once nothing is left to release.
   * Rejects if the group could not be opened.
   */
  async died(url: string, incarnation: string, member: string): Promise<Released> {
    const observed = this.#byUrl.get(url);
    const source = await observed?.source;
    if (source === undefined) throw new Error('the guard could not open its group');
    const before = [...source.roster()].filter(([, leader]) => leader.member === member);
    const thresholdMs = thresholdMsOf(url, []);
    const young = before.filter(
      ([partition]) =>
        performance.now() - (observed?.terms.get(partition)?.since ?? 0) < thresholdMs,
    );
    await reportDeath(source, incarnation);
    // The lease goes on: the next leader waits (M10).
    const lapses = (led: (typeof before)[number]): boolean =>
      young.includes(led) || source.roster().get(led[0])?.token === led[1].token;
    return {
      released: before.filter((led) => !lapses(led)).map(([partition]) => partition),
      lapsing: before.filter(lapses).map(([partition]) => partition),
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byUrl.values()].map(closed));
  }

  #open(url: string): Observed {
    const source = openSource(url, [], { campaign: false, member: 'guard', log: stderrLog });
    const terms: Observed['terms'] = new Map();
    const observed: Observed = { source, terms, members: new Set(), timer: undefined };
    this.#byUrl.set(url, observed);
    source.then(
      ({ roster$ }) => roster$.subscribe((roster) => noteTerms(terms, roster)),
      // The next member tries again.
      () => this.#byUrl.delete(url),
    );
    return observed;
  }
}

function noteTerms(terms: Observed['terms'], roster: Roster): void {
  for (const [partition, { token }] of roster)
    if (terms.get(partition)?.token !== token)
      terms.set(partition, { token, since: performance.now() });
}

async function closed({ source, timer }: Observed): Promise<void> {
  clearTimeout(timer);
  const opened = await source.catch(() => undefined);
  await opened?.close();
}
