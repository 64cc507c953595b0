// The partitions as rows: what is known of each, and which of them match the filter.
import { changed, held } from './state.js';

/** The rows by partition. A row is replaced if anything in it changes. */
export const rows = new Map();
/** The partitions that a member leads. */
const ledBy = new Map();
/** The partitions that a trouble or a warning names. */
let named = new Set();
/** How many rows are without a leader, and in trouble. */
export const totals = { isLeaderless: 0, isTroubled: 0 };

export const partitionCount = () => held.group.get('')?.partitions ?? 0;
export const partitionsLedBy = (member) => ledBy.get(member) ?? new Set();

/** Replaces the rows whose parts have changed. Returns their partitions, and the members that lead others now. */
export function renewRows() {
  const partitions = new Set([...changed.partition].map(Number));
  for (const member of changed.member)
    for (const partition of partitionsLedBy(member)) partitions.add(partition);
  if (changed.problems.size > 0) for (const partition of renamed()) partitions.add(partition);
  const count = partitionCount();
  const [from, until] = [Math.min(rows.size, count), Math.max(rows.size, count)];
  for (let partition = from; partition < until; partition += 1) partitions.add(partition);
  const leaders = [...partitions].flatMap((one) => replaceRow(one, one < count));
  return { partitions, members: new Set(leaders) };
}

/** Returns the partitions that are named by one of the problems before and now, but not by both. */
function renamed() {
  const { troubles = [], warnings = [] } = held.problems.get('') ?? {};
  const before = named;
  named = new Set([...troubles, ...warnings].map(({ partition }) => partition));
  return [...before, ...named].filter(
    (one) => one !== undefined && before.has(one) !== named.has(one),
  );
}

function replaceRow(partition, exists) {
  const before = rows.get(partition);
  const row = exists ? rowOf(partition) : undefined;
  if (row === undefined) rows.delete(partition);
  else rows.set(partition, row);
  for (const total of Object.keys(totals))
    totals[total] += (row?.[total] ?? 0) - (before?.[total] ?? 0);
  const [old, next] = [leaderOf(before), leaderOf(row)];
  if (old === next) return [];
  partitionsLedBy(old).delete(partition);
  if (next !== undefined) ledBy.set(next, partitionsLedBy(next).add(partition));
  return [old, next].filter((member) => member !== undefined);
}

const leaderOf = (row) => (row?.isLeaderless ? undefined : row?.member);

function rowOf(partition) {
  const part = held.partition.get(String(partition)) ?? {};
  const { member, gone, roles = [] } = part;
  const isLeaderless = member === undefined || gone !== undefined;
  const isTroubled =
    named.has(partition) || gone !== undefined || held.member.get(member)?.trouble !== undefined;
  const words = [
    member,
    ...roles,
    gone,
    isLeaderless && 'without a leader',
    isTroubled && 'in trouble',
  ];
  return {
    ...part,
    roles: roles.join(', '),
    partition,
    isLeaderless: Number(isLeaderless),
    isTroubled: Number(isTroubled),
    text: words.filter(Boolean).join('\n').toLowerCase(),
  };
}

/** The end of a row's lease by the clock of this page; `undefined` if it is not known. */
export function leaseEnd({ member, lease }) {
  return lease === true ? held.lease.get(member) : lease;
}

/**
 * Returns whether a row matches all words: a number or a range names partitions, and other words are
 * parts of the names of a member or a role, or of "without a leader" and "in trouble".
 */
export function matcherOf(text, required) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (row) =>
    required.every((property) => row[property] > 0) && words.every((word) => isIn(row, word));
}

function isIn({ text, partition }, word) {
  const [, from, to = from] = /^(\d+)(?:[-–](\d+))?$/.exec(word) ?? [];
  if (from === undefined) return text.includes(word);
  return Number(from) <= partition && partition <= Number(to);
}
