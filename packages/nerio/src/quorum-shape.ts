// Checks the option `quorums`.
import { membersMax } from './protocol/members.ts';
import type { QuorumSpec } from './protocol/quorums.ts';
import { quorumPlacesMax, quorumSetsMax } from './transport/codec/limits.ts';

const kinds = ['majority', 'weights', 'grid', 'sets'];

/**
 * The reason why its shape alone is not a quorum system, in words; `undefined` where it
 * may be one. For callers without types.
 */
export function faultInShape(quorums: unknown): string | undefined {
  const given = quorums as Partial<Record<string, unknown>> | null | undefined;
  const kind = given?.['kind'];
  if (typeof kind !== 'string' || !kinds.includes(kind))
    return `quorums must be of a kind: { kind: ${kinds.map((one) => `'${one}'`).join(' | ')} }`;
  return faults[kind as QuorumSpec['kind']](given ?? {});
}

const faults: Readonly<
  Record<QuorumSpec['kind'], (given: Partial<Record<string, unknown>>) => string | undefined>
> = {
  majority: () => undefined,
  weights({ weights, need }) {
    if (!isRecordOfNumbers(weights))
      return "weights must be numbers by member, as in { 'a.example:7400': 2 }";
    return need === undefined || typeof need === 'number' ? undefined : 'need must be a number';
  },
  grid: ({ rows }) =>
    areLists(rows) ? faultInLists('rows', rows) : 'rows must be lists of members',
  sets: ({ sets }) =>
    areLists(sets) ? faultInLists('sets', sets) : 'sets must be lists of members',
};

/** No message has room for more, so such an epoch would reach no member. */
function faultInLists(name: string, lists: readonly (readonly string[])[]): string | undefined {
  if (lists.length > quorumSetsMax)
    return `there may be ${quorumSetsMax} ${name} at most, not ${lists.length}`;
  const longest = Math.max(...lists.map((list) => list.length));
  if (longest > membersMax)
    return `one of ${name} names ${longest} members; an epoch has ${membersMax} at most`;
  const places = lists.reduce((sum, list) => sum + list.length, 0);
  return places > quorumPlacesMax
    ? `${name} may have ${quorumPlacesMax} members in all, not ${places}`
    : undefined;
}

function isRecordOfNumbers(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((one) => typeof one === 'number')
  );
}

function areLists(value: unknown): value is readonly (readonly string[])[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (list) =>
        Array.isArray(list) && list.length > 0 && list.every((one) => typeof one === 'string'),
    )
  );
}
