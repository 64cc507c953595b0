// Who should hold what (L9), kept up to date change by change: a change of one holder costs its two members, the number of members,
// and the partitions that have to move, whatever the number of partitions.
import type { Holding, Ranks } from './placement.ts';

/** One member, and what it holds. */
interface Account {
  readonly member: string;
  /** Its position among the members sorted by name. */
  readonly index: number;
  /** The partitions it holds, the oldest terms first. It keeps as many of the first of them as its quota says. */
  readonly held: number[];
  quota: number;
}

/**
 * Every member the same number of partitions, give or take one, with as few moves as that takes (L9). A member with too many
 * partitions gives up its youngest terms: a partition that just moved moves again, and the others stay. Next in line for a
 * partition is the member that would be preferred if the first were gone, so that a death moves each partition of the dead once.
 *
 * The result depends on the members and the holders alone, not on the order in which they became known: members that know the
 * same agree without messages. A holder that is not a member counts as nobody.
 */
export class Balance {
  readonly #partitions: number;
  readonly #ranks: readonly Ranks[];
  readonly #holdings = new Map<number, Holding>();
  /** Partitions that their holder does not keep, or that nobody holds. */
  readonly #free = new Set<number>();
  /** What changed since the last `settle`. */
  readonly #touched = new Set<number>();
  readonly #dirty = new Set<Account>();
  readonly #preferred: (string | undefined)[] = [];
  #accounts: ReadonlyMap<string, Account> = new Map();
  #byName: readonly Account[] = [];
  /** The members that hold the most partitions first. */
  #byLoad: readonly Account[] = [];
  /** Who would be preferred where, if that member were gone. Computed when it is asked for, and forgotten with each change. */
  readonly #withoutCache = new Map<string, ReadonlyMap<number, string>>();

  constructor(partitions: number) {
    this.#partitions = partitions;
    this.#ranks = Array.from({ length: partitions }, (_, partition) => ({
      at: (index: number) => (index === 0 ? this.#preferred[partition] : this.order(partition)[index]),
      indexOf: (member: string) => this.#indexOf(partition, member),
    }));
  }

  /** The order of a partition as a view: it always says what held at the last `settle`. */
  ranks(partition: number): Ranks | undefined {
    return this.#ranks[partition];
  }

  /** The order of a partition, best first. */
  order(partition: number): readonly string[] {
    const start = partition % Math.max(1, this.#byName.length);
    const rest = [...this.#byName.slice(start), ...this.#byName.slice(0, start)].map(({ member }) => member);
    return [...new Set([...this.#first(partition), ...rest])];
  }

  /** These are the members now. Costs the number of partitions, and of members. */
  members(members: readonly string[]): void {
    this.#byName = [...new Set(members)].sort().map((member, index) => ({ member, index, held: [], quota: 0 }));
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

  /** The partition has another holder, or none. */
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

  /** Takes in what changed. Returns the partitions that another member is preferred for since. */
  settle(): readonly number[] {
    if (this.#touched.size === 0) return [];
    this.#withoutCache.clear();
    this.#byLoad = [...this.#byName].sort((a, b) => b.held.length - a.held.length);
    for (const [account, quota] of quotasOf(this.#partitions, this.#byLoad)) {
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

  /** Says whether that changed anything. */
  #prefer(partition: number, mover: string | undefined): boolean {
    const preferred = this.#free.has(partition) ? mover : this.#accountOf(partition)?.member;
    if (this.#preferred[partition] === preferred) return false;
    this.#preferred[partition] = preferred;
    return true;
  }

  /** Tells what the member keeps from what it does not. */
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

  /** Where the partition is in what the member holds, or belongs. */
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

  /** The preferred member, and the one after it. */
  #first(partition: number): readonly string[] {
    const preferred = this.#preferred[partition];
    if (preferred === undefined) return [];
    const second = this.#without(preferred).get(partition) ?? this.#accountOf(partition)?.member ?? preferred;
    return second === preferred ? [preferred] : [preferred, second];
  }

  #indexOf(partition: number, member: string): number {
    const account = this.#accounts.get(member);
    if (account === undefined) return -1;
    if (this.#preferred[partition] === member) return 0;
    const first = this.#first(partition);
    const index = first.indexOf(member);
    if (index >= 0) return index;
    const turn = (of: string): number => this.#turned(partition, this.#accounts.get(of)?.index ?? 0);
    const own = turn(member);
    return own + first.filter((other) => turn(other) > own).length;
  }

  /** The position of a member in the order by name that begins with another member for each partition: what two miss falls to many. */
  #turned(partition: number, index: number): number {
    const members = this.#byName.length;
    return (index + members - (partition % members)) % members;
  }

  /** Who would have what has to move, if that member were gone. */
  #without(gone: string): ReadonlyMap<number, string> {
    const cached = this.#withoutCache.get(gone);
    if (cached) return cached;
    const quotas = quotasOf(
      this.#partitions,
      this.#byLoad.filter(({ member }) => member !== gone),
    );
    const free = new Set([...this.#free, ...(this.#accounts.get(gone)?.held ?? [])]);
    // Where one is missing, nobody's quota is less.
    for (const [{ held, quota }, quotaThen] of quotas) for (const partition of held.slice(quota, quotaThen)) free.delete(partition);
    const others = this.#byName.filter(({ member }) => member !== gone);
    const moves = matched(free, others, (account) => quotas.get(account) ?? 0);
    this.#withoutCache.set(gone, moves);
    return moves;
  }
}

/** The order of every partition, computed once. */
export function balance(
  partitions: number,
  members: readonly string[],
  holders: ReadonlyMap<number, Holding>,
): ReadonlyMap<number, readonly string[]> {
  const balanced = new Balance(partitions);
  for (const [partition, holding] of holders) balanced.hold(partition, holding);
  balanced.members(members);
  balanced.settle();
  return new Map(Array.from({ length: partitions }, (_, partition) => [partition, balanced.order(partition)]));
}

/** The remainder goes to the members that hold the most already: taking it from them would be a needless move. */
function quotasOf(partitions: number, byLoad: readonly Account[]): ReadonlyMap<Account, number> {
  const share = Math.floor(partitions / Math.max(1, byLoad.length));
  const extra = partitions % Math.max(1, byLoad.length);
  return new Map(byLoad.map((account, index) => [account, share + (index < extra ? 1 : 0)]));
}

/** Gives what is free to the members that have less than their quota, both in order. */
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
    for (const partition of partitions.slice(next, next + Math.max(0, missing))) moves.set(partition, account.member);
    next += Math.max(0, missing);
  }
  return moves;
}
