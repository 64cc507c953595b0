// Quorum systems: the sets of voters that decide. Any two quorums must share a voter. This is
// verified before the member starts, because a system without that property elects two leaders.
import { includes, type Members, only, sizeOf } from './members.ts';

/** Defines which sets of voters are quorums. Voters are named by member name. */
export type QuorumSpec =
  /** More than half of the voters. */
  | { readonly kind: 'majority' }
  /** Voters whose weights add up to `need`. Default: more than half of the total weight. */
  | {
      readonly kind: 'weights';
      readonly weights: Readonly<Record<string, number>>;
      readonly need?: number;
    }
  /** All voters of one row, and one voter of every row. */
  | { readonly kind: 'grid'; readonly rows: readonly (readonly string[])[] }
  /** All voters of any of these sets. */
  | { readonly kind: 'sets'; readonly sets: readonly (readonly string[])[] };

/** A quorum system over the members of one epoch. */
export interface Quorums {
  readonly voters: Members;
  /** Whether the voters among these members include a quorum. */
  holds(members: Members): boolean;
}

/**
 * Creates a quorum system. Ignores names that are not voters. Check the specification with
 * `faultInQuorums` first.
 */
export function quorumsOf(spec: QuorumSpec, names: readonly string[], voters: Members): Quorums {
  const setOf = (some: readonly string[]): Members =>
    some.reduce((set, name) => set | bitOf(names, voters, name), 0);
  switch (spec.kind) {
    case 'majority': {
      const half = sizeOf(voters) / 2;
      return { voters, holds: (members) => sizeOf(members & voters) > half };
    }
    case 'weights':
      return weighted(spec, names, voters);
    case 'grid': {
      const rows = spec.rows.map(setOf);
      return {
        voters,
        holds: (members) =>
          rows.some((row) => (row & members) === row) && rows.every((row) => (row & members) !== 0),
      };
    }
    case 'sets': {
      const sets = spec.sets.map(setOf);
      return { voters, holds: (members) => sets.some((set) => (set & members) === set) };
    }
  }
}

/** Whether these members share a voter with every quorum. */
export function meetsEveryQuorum(quorums: Quorums, members: Members): boolean {
  return !quorums.holds(quorums.voters & ~members);
}

/** Returns the fault of a quorum system; `undefined` if any two of its quorums share a voter. */
export function faultInQuorums(
  spec: QuorumSpec,
  names: readonly string[],
  voters: Members,
): string | undefined {
  const stranger = namesIn(spec).find((name) => bitOf(names, voters, name) === 0);
  if (stranger !== undefined) return `quorums name "${stranger}", which is not a voter`;
  if (spec.kind === 'weights') return faultInWeights(spec, names, voters);
  if (!quorumsOf(spec, names, voters).holds(voters))
    return 'not even all voters together are a quorum';
  if (spec.kind === 'grid') return faultInGrid(spec.rows);
  return spec.kind === 'sets' ? faultInSets(spec.sets, names) : undefined;
}

function bitOf(names: readonly string[], voters: Members, name: string): Members {
  const index = names.indexOf(name);
  return includes(voters, index) ? only(index) : 0;
}

function namesIn(spec: QuorumSpec): readonly string[] {
  if (spec.kind === 'majority') return [];
  if (spec.kind === 'weights') return Object.keys(spec.weights);
  return (spec.kind === 'grid' ? spec.rows : spec.sets).flat();
}

type Weights = QuorumSpec & { readonly kind: 'weights' };

function weightsOf(
  { weights }: Weights,
  names: readonly string[],
  voters: Members,
): readonly number[] {
  return names.map((name, index) => (includes(voters, index) ? (weights[name] ?? 1) : 0));
}

function weighted(spec: Weights, names: readonly string[], voters: Members): Quorums {
  const weights = weightsOf(spec, names, voters);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const { need } = spec;
  const weigh = (members: Members): number =>
    weights.reduce((sum, weight, index) => (includes(members, index) ? sum + weight : sum), 0);
  return {
    voters,
    holds:
      need === undefined
        ? (members) => 2 * weigh(members) > total
        : (members) => weigh(members) >= need,
  };
}

function faultInWeights(
  spec: Weights,
  names: readonly string[],
  voters: Members,
): string | undefined {
  const weights = weightsOf(spec, names, voters);
  // Sums of fractions are inexact: ten times 0.1 is less than twice five times 0.1, and both halves
  // would be quorums.
  const bad = weights.find((weight) => !Number.isSafeInteger(weight) || weight < 0);
  if (bad !== undefined) return `a weight of ${bad} must be a whole number of at least 0`;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return 'all weights are 0';
  if (!Number.isSafeInteger(2 * total))
    return `the weights add up to ${total}, which is more than can be added exactly`;
  const { need } = spec;
  if (need === undefined) return undefined;
  if (need > total) return `a quorum needs weight ${need}, but all voters together weigh ${total}`;
  return 2 * need > total
    ? undefined
    : `two quorums of weight ${need} need not share a voter: need must exceed half of the total weight ${total}`;
}

function faultInGrid(rows: readonly (readonly string[])[]): string | undefined {
  const names = rows.flat();
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `the grid names "${twice}" twice`;
}

/**
 * Compares sets as bits. A thousand sets have half a million pairs, and a member that sends an
 * epoch must not keep others busy with it.
 */
function faultInSets(
  sets: readonly (readonly string[])[],
  names: readonly string[],
): string | undefined {
  const members = sets.map((set) => set.reduce((all, name) => all | only(names.indexOf(name)), 0));
  for (const [index, one] of sets.entries()) {
    const other = sets[members.findIndex((set) => (set & (members[index] ?? 0)) === 0)];
    if (other)
      return `the quorums {${one.join(', ')}} and {${other.join(', ')}} share no voter: two leaders could be elected`;
  }
  return undefined;
}
