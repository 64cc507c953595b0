// Spreads the partitions evenly over the members (L9). A change of one holder costs little; to settle
// costs one pass over all partitions, in arrays of numbers, whatever the number of changes.

/** The holder of a partition, and the token of its term. */
export interface Holding {
  /** The incarnation that holds the partition. */
  readonly incarnation: string;
  /** The fencing number of its term. */
  readonly token: bigint;
}

/** One member, and the partitions that it holds. */
interface Account {
  readonly member: string;
  /** Its position among the members, sorted by name. */
  readonly index: number;
  /** The greatest number of partitions that it may hold. */
  readonly limit: number;
  /** The number of partitions that it holds. */
  count: number;
  /** These partitions, the oldest terms first, once it holds more than its quota. */
  held: number[] | undefined;
}

/** The index of no member. */
const nobody = -1;

/** Members without a limit. */
const unlimited: ReadonlyMap<string, number> = new Map();

/**
 * Assigns every member the same number of partitions, give or take one, with as few moves as
 * possible (L9). A member with a limit gets no more than that (M13), and what remains goes to the
 * others; beyond the sum of all limits, partitions have no preferred member. A member with too many partitions gives up its youngest terms, so the partition
 * that moved last moves again and the others stay. The second rank of a partition is the member
 * that would be preferred without the first, so that the death of a member moves each of its
 * partitions once.
 *
 * The result depends only on the members and the holders, not on the order in which they became
 * known: members with the same knowledge agree without messages. A holder that is not a member is
 * ignored.
 */
export class Balance {
  readonly #holdings: (Holding | undefined)[];
  /** The index of the member that holds each partition. */
  readonly #holders: Int32Array;
  readonly #preferred: (string | undefined)[];
  #accounts: ReadonlyMap<string, Account> = new Map();
  #byName: readonly Account[] = [];
  /** The index of the member that the remainder goes to first, whoever has it now; if it is fixed. */
  #first: number | undefined;
  #isChanged = false;
  /** The indexes of the preferred members. */
  readonly #assigned: Int32Array;
  /** For each member, those if it were missing. Computed on demand: `undefined` before. */
  #without: (Int32Array | undefined)[] = [];
  /** Arrays to use again. */
  readonly #spare: Int32Array[] = [];
  /** While partitions are assigned: those that their holders give up, and the members that take one. */
  readonly #surplus: Uint8Array;
  readonly #takers: Int32Array;

  constructor(partitions: number) {
    this.#holdings = Array.from({ length: partitions });
    this.#preferred = Array.from({ length: partitions });
    this.#holders = new Int32Array(partitions).fill(nobody);
    this.#assigned = new Int32Array(partitions).fill(nobody);
    this.#surplus = new Uint8Array(partitions);
    this.#takers = new Int32Array(partitions);
  }

  /** Whether anything has changed since the last `settle`. */
  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** Returns the member at that position in the order of a partition. */
  at(partition: number, rank: number): string | undefined {
    return rank === 0 ? this.#preferred[partition] : this.order(partition)[rank];
  }

  /** Returns the order of a partition, best first. */
  order(partition: number): readonly string[] {
    const start = partition % Math.max(1, this.#byName.length);
    const first = this.#firstOf(partition);
    if (first === undefined) return [];
    const inOrder = [
      first,
      this.#byName[this.#secondOf(partition, first.index)],
      ...this.#byName.slice(start),
      ...this.#byName.slice(0, start),
    ];
    return [...new Set(inOrder)].flatMap((account) => account?.member ?? []);
  }

  /**
   * Sets the members. `first`: the index, by name, of the member that the remainder goes to first, so
   * that several groups with the same members have even shares together. Default: to those that have it.
   * `limits`: the greatest numbers of partitions of the members that have one.
   */
  members(
    members: readonly string[],
    first?: number,
    limits: ReadonlyMap<string, number> = unlimited,
  ): void {
    this.#first = first;
    this.#byName = [...new Set(members)].sort().map((member, index) => {
      const limit = limits.get(member) ?? Number.POSITIVE_INFINITY;
      return { member, index, limit, count: 0, held: undefined };
    });
    this.#accounts = new Map(this.#byName.map((account) => [account.member, account]));
    this.#holdings.forEach((holding, partition) => {
      const account = holding && this.#accounts.get(holding.incarnation);
      this.#holders[partition] = account?.index ?? nobody;
      if (account) account.count += 1;
    });
    this.#isChanged = true;
  }

  /** Sets the holder of a partition, or that it has none. */
  hold(partition: number, holding: Holding | undefined): void {
    const before = this.#holdings[partition];
    const isSame = before?.incarnation === holding?.incarnation && before?.token === holding?.token;
    if (isSame || partition >= this.#holdings.length) return;
    const from = this.#byName[this.#holders[partition] ?? nobody];
    if (from) {
      from.count -= 1;
      from.held?.splice(this.#placeOf(from.held, partition), 1);
    }
    this.#holdings[partition] = holding;
    const to = holding && this.#accounts.get(holding.incarnation);
    this.#holders[partition] = to?.index ?? nobody;
    if (to) {
      to.count += 1;
      to.held?.splice(this.#placeOf(to.held, partition), 0, partition);
    }
    this.#isChanged = true;
  }

  /** Applies the changes. Returns the partitions whose preferred member changed. */
  settle(): readonly number[] {
    if (!this.#isChanged) return [];
    this.#isChanged = false;
    for (const array of this.#without) if (array) this.#spare.push(array);
    this.#without = [];
    this.#assign(this.#byName, this.#assigned);
    const changed: number[] = [];
    for (let partition = 0; partition < this.#assigned.length; partition += 1) {
      const preferred = this.#byName[this.#assigned[partition] ?? nobody]?.member;
      if (this.#preferred[partition] === preferred) continue;
      this.#preferred[partition] = preferred;
      changed.push(partition);
    }
    return changed;
  }

  /**
   * Sets the preferred member of each partition if the group had these members. Each keeps its oldest
   * terms up to its quota. What remains goes to those below their quota, both in order.
   */
  #assign(accounts: readonly Account[], into: Int32Array): void {
    const quotas = this.#quotasOf(accounts);
    this.#noteSurplus(accounts, quotas);
    let free = 0;
    for (let partition = 0; partition < into.length; partition += 1) {
      const holder = this.#holders[partition] ?? nobody;
      const isKept = quotas[holder] !== undefined && this.#surplus[partition] === 0;
      into[partition] = isKept ? holder : (this.#takers[free] ?? nobody);
      if (!isKept) free += 1;
    }
  }

  /** Notes which partitions their holders give up, and which members take one, in order. */
  #noteSurplus(accounts: readonly Account[], quotas: readonly (number | undefined)[]): void {
    this.#surplus.fill(0);
    this.#takers.fill(nobody);
    let taken = 0;
    for (const account of accounts) {
      const missing = (quotas[account.index] ?? 0) - account.count;
      if (missing < 0)
        for (const partition of this.#heldBy(account).slice(missing)) this.#surplus[partition] = 1;
      else this.#takers.fill(account.index, taken, taken + missing);
      taken += Math.max(0, missing);
    }
  }

  /**
   * Returns the quota of each member, by its index; no entry for those that are missing. The remainder
   * goes first to members above an even share, because taking it from them would be a needless move,
   * and then by name. By load it would pass from member to member while an empty group is claimed, and
   * two members could both claim the odd partition.
   */
  #quotasOf(accounts: readonly Account[]): readonly (number | undefined)[] {
    const { share, extra } = sharesOf(accounts, this.#holdings.length);
    const excess = ({ count }: Account): number => Math.max(0, count - share);
    const first = this.#first;
    const members = this.#byName.length;
    const turned = ({ index }: Account): number => (index + members - (first ?? 0)) % members;
    const byLoad = (a: Account, b: Account): number => excess(b) - excess(a) || a.index - b.index;
    const byTurn = (a: Account, b: Account): number => turned(a) - turned(b);
    const inOrder =
      extra === 0 ? accounts : [...accounts].sort(first === undefined ? byLoad : byTurn);
    const quotas: (number | undefined)[] = this.#byName.map(() => undefined);
    let left = extra;
    for (const { index, limit } of inOrder) {
      const takesOne = limit > share && left > 0;
      if (takesOne) left -= 1;
      quotas[index] = takesOne ? share + 1 : Math.min(limit, share);
    }
    return quotas;
  }

  /** Returns the partitions that a member holds, the oldest terms first. */
  #heldBy(account: Account): readonly number[] {
    if (account.held) return account.held;
    const held: number[] = [];
    this.#holders.forEach((holder, partition) => {
      if (holder === account.index) held.push(partition);
    });
    account.held = held.sort((a, b) => this.#byAge(a, b));
    return held;
  }

  /** Returns the index of a partition among those of a member, or the index at which to insert it. */
  #placeOf(held: readonly number[], partition: number): number {
    let [low, high] = [0, held.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#byAge(held[middle] ?? partition, partition) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #byAge(a: number, b: number): number {
    const [ours, theirs] = [this.#holdings[a]?.token ?? 0n, this.#holdings[b]?.token ?? 0n];
    if (ours === theirs) return a - b;
    return ours < theirs ? -1 : 1;
  }

  #firstOf(partition: number): Account | undefined {
    return this.#accounts.get(this.#preferred[partition] ?? '');
  }

  /** Returns the index of the member that would be preferred if the first one were missing. */
  #secondOf(partition: number, first: number): number {
    let without = this.#without[first];
    if (without === undefined) {
      without = this.#spare.pop() ?? new Int32Array(this.#assigned.length);
      const others = this.#byName.filter(({ index }) => index !== first);
      this.#assign(others, without);
      this.#without[first] = without;
    }
    return without[partition] ?? nobody;
  }

  /** Returns the position of a member in the order of a partition; -1 if it is none. */
  indexOf(partition: number, member: string): number {
    const own = this.#accounts.get(member)?.index;
    if (own === undefined) return -1;
    if (this.#preferred[partition] === member) return 0;
    const first = this.#firstOf(partition)?.index;
    const turn = this.#turned(partition, own);
    if (first === undefined) return turn;
    const second = this.#secondOf(partition, first);
    if (second === own) return 1;
    const isAfter = (other: number): boolean => this.#turned(partition, other) > turn;
    return turn + Number(isAfter(first)) + Number(second !== nobody && isAfter(second));
  }

  /**
   * Returns the position of a member in the order by name, rotated by the partition, so that
   * partitions without their first two members spread over the remaining ones.
   */
  #turned(partition: number, index: number): number {
    const members = this.#byName.length;
    return (index + members - (partition % members)) % members;
  }
}

/**
 * Returns the even share of the members whose limit is above it, and how many of these get one more.
 * The others get their limit.
 */
function sharesOf(
  accounts: readonly Account[],
  partitions: number,
): { readonly share: number; readonly extra: number } {
  let left = partitions;
  let members = accounts.length;
  const limited = accounts.filter(({ limit }) => limit < Number.POSITIVE_INFINITY);
  for (const { limit } of limited.sort((a, b) => a.limit - b.limit)) {
    if (limit > left / members) break;
    left -= limit;
    members -= 1;
  }
  if (members === 0) return { share: Number.POSITIVE_INFINITY, extra: 0 };
  return { share: Math.floor(left / members), extra: left % members };
}

/** Computes the order of every partition, best first. */
export function balance(
  partitions: number,
  members: readonly string[],
  holders: ReadonlyMap<number, Holding>,
  limits: ReadonlyMap<string, number> = unlimited,
): ReadonlyMap<number, readonly string[]> {
  const balanced = new Balance(partitions);
  for (const [partition, holding] of holders) balanced.hold(partition, holding);
  balanced.members(members, undefined, limits);
  balanced.settle();
  return new Map(
    Array.from({ length: partitions }, (_, partition) => [partition, balanced.order(partition)]),
  );
}
