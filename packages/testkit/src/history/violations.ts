// The safety rules for histories. Each rule examines the terms of one partition in the order in
// which they began. Members never log more time than they led, so every reported violation really
// happened.
import type { TermRecord } from './term-record.ts';

/** A violation: the rule, the partition and a readable description. */
export interface Violation {
  /** The rule that was violated. */
  readonly rule: /** Two members never lead at once (L, H4). */
    | 'one-believer'
    /** A later term has a greater token (T1). */
    | 'tokens-grow'
    /**
     * The work of a released term settles before the release and before the next term begins (H2).
     */
    | 'drained-first'
    /** A token identifies one term of one incarnation (T3, L2). */
    | 'one-life'
    /** A term that ended never becomes current again (T3, H4). */
    | 'unbroken';
  /** The partition. */
  readonly partition: number;
  /** The terms that contradict the rule: the later one, and the earlier one if there are two. */
  readonly terms: {
    readonly earlier?: TermRecord;
    readonly later: TermRecord;
  };
  /** When the later of the terms began. Nanoseconds of the host's monotonic clock. */
  readonly atNs: bigint;
  /**
   * How long two members led at once, or a member led while another one still worked. Milliseconds;
   * 0 for a violation of another kind.
   */
  readonly overlapMs: number;
  /** What happened, with the terms that contradict the rule. */
  readonly message: string;
}

/**
 * Returns all violations in a history, ordered by partition. The array is empty if no violation was
 * observed.
 */
export function violationsOf(terms: readonly TermRecord[]): readonly Violation[] {
  const partitions = new Map<number, TermRecord[]>();
  for (const term of terms) {
    const known = partitions.get(term.partition);
    if (known) known.push(term);
    else partitions.set(term.partition, [term]);
  }
  return [...partitions].sort(([a], [b]) => a - b).flatMap(([, over]) => contradictionsIn(over));
}

type Believed = TermRecord & { readonly belief: object };
type Find = (
  rule: Violation['rule'],
  terms: Violation['terms'],
  sentence: string,
  overlapNs?: bigint,
) => void;

function contradictionsIn(terms: readonly TermRecord[]): readonly Violation[] {
  const found: Violation[] = [];
  const find: Find = (rule, both, sentence, overlapNs = 0n) => {
    const { partition, belief, notifiedAtNs } = both.later;
    found.push({
      rule,
      partition,
      terms: both,
      atNs: belief?.fromNs ?? notifiedAtNs,
      overlapMs: Number(overlapNs) / 1e6,
      message: `partition ${partition}: ${sentence}`,
    });
  };
  inOrder(terms.filter(isBelieved), find);
  for (const term of terms) isUnbroken(term, find);
  haveOneLifeEach(terms, find);
  return found;
}

/** Compares each term with the earlier ones that can contradict it. */
function inOrder(believed: readonly Believed[], find: Find): void {
  const [first, ...others] = believed.toSorted((a, b) =>
    a.belief.fromNs < b.belief.fromNs ? -1 : 1,
  );
  if (first === undefined) return;
  let [longest, highest, before] = [first, first, first];
  for (const term of others) {
    believesAlone(longest, term, find);
    grows(highest, term, find);
    waits(before, term, find);
    if (term.belief.toNs > longest.belief.toNs) longest = term;
    if (term.token > highest.token) highest = term;
    before = term;
  }
}

function isBelieved(term: TermRecord): term is Believed {
  return term.belief !== undefined;
}

/** A term ends before its deadline, so the next term may begin at exactly that instant. */
function believesAlone(earlier: Believed, later: Believed, find: Find): void {
  const toNs = earlier.belief.toNs < later.belief.toNs ? earlier.belief.toNs : later.belief.toNs;
  const overlapNs = toNs - later.belief.fromNs;
  if (overlapNs > 0n)
    find(
      'one-believer',
      { earlier, later },
      `${named(earlier)} and ${named(later)} believed at once for ${inMs(overlapNs)} ms`,
      overlapNs,
    );
}

/** `highest` is the term with the greatest token of those that began earlier. */
function grows(highest: Believed, later: Believed, find: Find): void {
  if (later.token <= highest.token)
    find(
      'tokens-grow',
      { earlier: highest, later },
      `${named(later)} began after ${named(highest)}`,
    );
}

function waits(earlier: Believed, later: Believed, find: Find): void {
  const { settledAtNs, end } = earlier;
  if (end?.kind !== 'released' || settledAtNs === undefined || settledAtNs <= later.belief.fromNs)
    return;
  const overlapNs = settledAtNs - later.belief.fromNs;
  find(
    'drained-first',
    { earlier, later },
    `${named(later)} began ${inMs(overlapNs)} ms before the work of ${named(earlier)} had settled`,
    overlapNs,
  );
}

function isUnbroken(term: TermRecord, find: Find): void {
  const { revivedAtNs, end } = term;
  if (revivedAtNs !== undefined)
    find('unbroken', { later: term }, `${named(term)} led again after it was over`);
  if (end?.kind === 'released' && !isDrained(term, end.atNs))
    find(
      'drained-first',
      { later: term },
      `${named(term)} was released before its work had settled`,
    );
}

/** A term that ended before its work began has no work to settle. */
function isDrained({ workedFromNs, settledAtNs }: TermRecord, atNs: bigint): boolean {
  return settledAtNs === undefined ? workedFromNs === undefined : settledAtNs <= atNs;
}

function haveOneLifeEach(terms: readonly TermRecord[], find: Find): void {
  const owners = new Map<bigint, TermRecord>();
  for (const term of terms) {
    const owner = owners.get(term.token);
    if (owner)
      find(
        'one-life',
        { earlier: owner, later: term },
        `${named(owner)} and ${named(term)} had one token`,
      );
    owners.set(term.token, term);
  }
}

function named({ member, life, token }: TermRecord): string {
  return `${member} (${life.slice(0, 8)}) in term ${token}`;
}

function inMs(ns: bigint): string {
  return (Number(ns) / 1e6).toFixed(3);
}
