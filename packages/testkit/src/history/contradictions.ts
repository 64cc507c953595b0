// What no history may hold. Each rule looks at the reigns over one partition in the order in which they began, and says nothing
// of what it cannot know: a member's word is never more than the truth, so that whatever is found has happened.
import type { Belief, Reign } from './reign.ts';

/** A rule that a history breaks. */
export type HistoryRule =
  /** At no moment do two members believe (L, H4). */
  | 'one-believer'
  /** Whoever begins later has the greater token (T1). */
  | 'tokens-grow'
  /** Who releases has settled its work, and nobody leads before that (H2). */
  | 'drained-first'
  /** A token is one reign of one incarnation (T3, L2). */
  | 'one-life'
  /** A term that is over stays over (T3, H4). */
  | 'unbroken';

/** A rule, where it was broken, and how in words. */
export interface Contradiction {
  readonly rule: HistoryRule;
  readonly partition: number;
  readonly sentence: string;
}

/** Every contradiction in a history, in order of the partitions. Empty where all promises were kept, as far as anyone could see. */
export function contradictions(reigns: readonly Reign[]): readonly Contradiction[] {
  const partitions = new Map<number, Reign[]>();
  for (const reign of reigns) {
    const known = partitions.get(reign.partition);
    if (known) known.push(reign);
    else partitions.set(reign.partition, [reign]);
  }
  return [...partitions].sort(([a], [b]) => a - b).flatMap(([, over]) => contradictionsIn(over));
}

type Believed = Reign & { readonly belief: Belief };
type Find = (rule: HistoryRule, partition: number, sentence: string) => void;

function contradictionsIn(reigns: readonly Reign[]): readonly Contradiction[] {
  const found: Contradiction[] = [];
  const find: Find = (rule, partition, sentence) => void found.push({ rule, partition, sentence: `partition ${partition}: ${sentence}` });
  const believed = reigns.filter(isBelieved).sort((a, b) => (a.belief.fromNs < b.belief.fromNs ? -1 : 1));
  let longest: Believed | undefined;
  let before: Believed | undefined;
  for (const reign of believed) {
    if (longest) believesAlone(longest, reign, find);
    if (before) growsAndWaits(before, reign, find);
    if (longest === undefined || reign.belief.toNs > longest.belief.toNs) longest = reign;
    before = reign;
  }
  for (const reign of reigns) isUnbroken(reign, find);
  haveOneLifeEach(reigns, find);
  return found;
}

function isBelieved(reign: Reign): reign is Believed {
  return reign.belief !== undefined;
}

/** Belief ends before its deadline, so that the next may begin at that very instant. */
function believesAlone(earlier: Believed, later: Believed, find: Find): void {
  const toNs = earlier.belief.toNs < later.belief.toNs ? earlier.belief.toNs : later.belief.toNs;
  const overlapNs = toNs - later.belief.fromNs;
  if (overlapNs > 0n)
    find('one-believer', later.partition, `${named(earlier)} and ${named(later)} believed at once for ${inMs(overlapNs)} ms`);
}

function growsAndWaits(earlier: Believed, later: Believed, find: Find): void {
  if (later.token <= earlier.token) find('tokens-grow', later.partition, `${named(later)} began after ${named(earlier)}`);
  const { settledAtNs, end } = earlier;
  if (end?.kind !== 'released' || settledAtNs === undefined || settledAtNs <= later.belief.fromNs) return;
  const tooEarly = inMs(settledAtNs - later.belief.fromNs);
  find('drained-first', later.partition, `${named(later)} began ${tooEarly} ms before the work of ${named(earlier)} had settled`);
}

function isUnbroken(reign: Reign, find: Find): void {
  const { revivedAtNs, partition, end } = reign;
  if (revivedAtNs !== undefined) find('unbroken', partition, `${named(reign)} led again after it was over`);
  if (end?.kind === 'released' && !isDrained(reign, end.atNs))
    find('drained-first', partition, `${named(reign)} was released before its work had settled`);
}

/** A term that ended before its work began has nothing to wait for. */
function isDrained({ workedFromNs, settledAtNs }: Reign, atNs: bigint): boolean {
  return settledAtNs === undefined ? workedFromNs === undefined : settledAtNs <= atNs;
}

function haveOneLifeEach(reigns: readonly Reign[], find: Find): void {
  const owners = new Map<bigint, Reign>();
  for (const reign of reigns) {
    const owner = owners.get(reign.token);
    if (owner) find('one-life', reign.partition, `${named(owner)} and ${named(reign)} had one token`);
    owners.set(reign.token, reign);
  }
}

function named({ member, life, token }: Reign): string {
  return `${member} (${life.slice(0, 8)}) in term ${token}`;
}

function inMs(ns: bigint): string {
  return (Number(ns) / 1e6).toFixed(3);
}
