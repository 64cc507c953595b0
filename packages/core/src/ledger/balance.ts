// Spreads the partitions evenly over the members (L9), updated incrementally. A change of one
// holder costs time in proportion to its two members, the number of members, and the partitions
// that have to move, but not to the number of partitions.
import type { Holding, Ranks } from './placement.ts';

/** One member and the partitions that it holds. */
interface Account {
  readonly member: string;
  /** Its position among the members, sorted by name. */
  readonly index: number;
  /** The partitions it holds, the oldest terms first. It keeps the first `quota` of them. */
  readonly held: number[];
  quota: number;
}

/**
 * Assigns every member the same number of partitions, give or take one, with as few moves as
 * possible (L9). A member with too many partitions gives up its youngest terms, so the partition
 * that moved last moves again and the others stay. The second rank of a partition is the member
 * that would be preferred without the first, so that the death of a member moves each of its
 * partitions once.
 *
 * The result depends only on the members and the holders, not on the order in which they became
 * known: members with the same knowledge agree without messages. A holder that is not a member is
 * ignored.
 */
export class Balance {
  readonly #partitions: number;
  readonly #ranks: readonly Ranks[];
  readonly #holdings = new Map<number, Holding>();
  /** Partitions without a holder, and partitions that their holder does not keep. */
  readonly #free = new Set<number>();
  /** Partitions that changed since the last `settle`. */
  readonly #touched = new Set<number>();
  readonly #dirty = new Set<Account>();
  readonly #preferred: (string | undefined)[] = [];
  #accounts: ReadonlyMap<string, Account> = new Map();
  #byName: readonly Account[] = [];
  /**
   * For each member, the preferred members if it were missing. Computed on demand, cleared with
   * each change.
   */
  readonly #withoutCache = new Map<string, ReadonlyMap<number, string>>();

  constructor(partitions: number) {
    this.#partitions = partitions;
    this.#ranks = Array.from({ length: partitions }, (_, partition) => ({
      at: (index: number) =>
        index === 0 ? this.#preferred[partition] : this.order(partition)[index],
      indexOf: (member: string) => this.#indexOf(partition, member),
    }));
  }

  /** Returns the order of a partition as a live view of the state after the last `settle`. */
  ranks(partition: number): Ranks | undefined {
    return this.#ranks[partition];
  }

  /** Returns the order of a partition, best first. */
  order(partition: number): readonly string[] {
    const start = partition % Math.max(1, this.#byName.length);
    const rest = [...this.#byName.slice(start), ...this.#byName.slice(0, start)].map(
      ({ member }) => member,
    );
    return [...new Set([...this.#first(partition), ...rest])];
  }

  /** Sets the members. Takes time in proportion to the number of partitions and of members. */
  members(members: readonly string[]): void {
    this.#byName = [...new Set(members)]
      .sort()
      .map((member, index) => ({ member, index, held: [], quota: 0 }));
    this.#accounts = new Map(this.#byName.map((account) => [account.member, account]));
    this.#dirty.clear();
    for (let partition = 0; partition < this.#partitions; partition += 1) {
      this.#free.add(partition);
      this.#touched.add(partition);
      this.#accountOf(partition)?.held.push(partition);
    }
    for (const account of this.#byName) {
      account.held.sort((a, b) => this.#byAge(a, b));
      this.#dirty.add(account);
    }
  }

  /** Sets the holder of a partition, or that it has none. */
  hold(partition: number, holding: Holding | undefined): void {
    if (partition >= this.#partitions) return;
    const from = this.#accountOf(partition);
    from?.held.splice(this.#placeOf(from, partition), 1);
    if (holding) this.#holdings.set(partition, holding);
    else this.#holdings.delete(partition);
    const to = this.#accountOf(partition);
    to?.held.splice(this.#placeOf(to, partition), 0, partition);
    for (const account of [from, to]) if (account) this.#dirty.add(account);
    this.#free.add(partition);
    this.#touched.add(partition);
  }

  /** Applies the changes. Returns the partitions whose preferred member changed. */
  settle(): readonly number[] {
    if (this.#touched.size === 0) return [];
    this.#withoutCache.clear();
    for (const [account, quota] of quotasOf(this.#partitions, this.#byName)) {
      if (account.quota !== quota) this.#dirty.add(account);
      account.quota = quota;
    }
    for (const account of this.#dirty) this.#sort(account);
    this.#dirty.clear();
    const moves = matched(this.#free, this.#byName, ({ quota }) => quota);
    const candidates = new Set([...this.#touched, ...this.#free]);
    this.#touched.clear();
    return [...candidates].filter((partition) => this.#prefer(partition, moves.get(partition)));
  }

  /** Sets the preferred member of a partition. Returns whether it changed. */
  #prefer(partition: number, mover: string | undefined): boolean {
    const preferred = this.#free.has(partition) ? mover : this.#accountOf(partition)?.member;
    if (this.#preferred[partition] === preferred) return false;
    this.#preferred[partition] = preferred;
    return true;
  }

  /** Separates the partitions that the member keeps from those that it gives up. */
  #sort({ held, quota }: Account): void {
    for (const [index, partition] of held.entries()) {
      if (index >= quota) this.#free.add(partition);
      else if (this.#free.delete(partition)) this.#touched.add(partition);
    }
  }

  #accountOf(partition: number): Account | undefined {
    const holding = this.#holdings.get(partition);
    return holding && this.#accounts.get(holding.incarnation);
  }

  /**
   * Returns the index of the partition among those that the member holds, or the index at which to
   * insert it.
   */
  #placeOf({ held }: Account, partition: number): number {
    let [low, high] = [0, held.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#byAge(held[middle] ?? partition, partition) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #byAge(a: number, b: number): number {
    const [ours, theirs] = [this.#holdings.get(a)?.token ?? 0n, this.#holdings.get(b)?.token ?? 0n];
    if (ours === theirs) return a - b;
    return ours < theirs ? -1 : 1;
  }

  /** Returns the preferred member and the one after it. */
  #first(partition: number): readonly string[] {
    const preferred = this.#preferred[partition];
    if (preferred === undefined) return [];
    const second =
      this.#without(preferred).get(partition) ?? this.#accountOf(partition)?.member ?? preferred;
    return second === preferred ? [preferred] : [preferred, second];
  }

  #indexOf(partition: number, member: string): number {
    const account = this.#accounts.get(member);
    if (account === undefined) return -1;
    if (this.#preferred[partition] === member) return 0;
    const first = this.#first(partition);
    const index = first.indexOf(member);
    if (index >= 0) return index;
    const turn = (of: string): number =>
      this.#turned(partition, this.#accounts.get(of)?.index ?? 0);
    const own = turn(member);
    return own + first.filter((other) => turn(other) > own).length;
  }

  /**
   * Returns the position of a member in the order by name, rotated by the partition, so that
   * partitions without their first two members spread over the remaining ones.
   */
  #turned(partition: number, index: number): number {
    const members = this.#byName.length;
    return (index + members - (partition % members)) % members;
  }

  /**
   * Returns the preferred members of the partitions that would have to move if member `gone` were
   * missing.
   */
  #without(gone: string): ReadonlyMap<number, string> {
    const cached = this.#withoutCache.get(gone);
    if (cached) return cached;
    const others = this.#byName.filter(({ member }) => member !== gone);
    const quotas = quotasOf(this.#partitions, others);
    const free = new Set([...this.#free, ...(this.#accounts.get(gone)?.held ?? [])]);
    // With one member fewer, no quota shrinks.
    for (const [{ held, quota }, quotaThen] of quotas)
      for (const partition of held.slice(quota, quotaThen)) free.delete(partition);
    const moves = matched(free, others, (account) => quotas.get(account) ?? 0);
    this.#withoutCache.set(gone, moves);
    return moves;
  }
}

/** Computes the order of every partition, best first. */
export function balance(
  partitions: number,
  members: readonly string[],
  holders: ReadonlyMap<number, Holding>,
): ReadonlyMap<number, readonly string[]> {
  const balanced = new Balance(partitions);
  for (const [partition, holding] of holders) balanced.hold(partition, holding);
  balanced.members(members);
  balanced.settle();
  return new Map(
    Array.from({ length: partitions }, (_, partition) => [partition, balanced.order(partition)]),
  );
}

/**
 * Returns the quota of each member. The remainder goes first to members above an even share,
 * because taking it from them would be a needless move, and then by name. By load it would pass
 * from member to member while an empty group is claimed, and two members could both claim the odd
 * partition.
 */
function quotasOf(partitions: number, accounts: readonly Account[]): ReadonlyMap<Account, number> {
  const share = Math.floor(partitions / Math.max(1, accounts.length));
  const extra = partitions % Math.max(1, accounts.length);
  const excess = ({ held }: Account): number => Math.max(0, held.length - share);
  const inOrder = [...accounts].sort((a, b) => excess(b) - excess(a) || a.index - b.index);
  return new Map(inOrder.map((account, index) => [account, share + (index < extra ? 1 : 0)]));
}

/** Assigns the free partitions to members below their quota, both in order. */
function matched(
  free: ReadonlySet<number>,
  byName: readonly Account[],
  quotaOf: (account: Account) => number,
): ReadonlyMap<number, string> {
  if (free.size === 0) return new Map();
  const partitions = [...free].sort((a, b) => a - b);
  const moves = new Map<number, string>();
  let next = 0;
  for (const account of byName) {
    const missing = quotaOf(account) - account.held.length;
    for (const partition of partitions.slice(next, next + Math.max(0, missing)))
      moves.set(partition, account.member);
    next += Math.max(0, missing);
  }
  return moves;
}
