// The members of several groups together. Groups know a member by different incarnations, so its name
// counts.
import { combineLatest, distinctUntilChanged, map, type Observable } from 'rxjs';
import type { Roster } from '../contract/leader.ts';
import type { GroupMember } from '../contract/member.ts';
import type { LeadershipSource } from '../contract/source.ts';
import { isSame } from '../source/members.ts';

/** Returns the members of any of the groups, and which partitions they lead in the whole. */
export function combinedMembers(
  groups: readonly (readonly GroupMember[])[],
  roster: Roster,
): readonly GroupMember[] {
  const known = new Map<string, GroupMember>();
  for (const member of groups.flat()) {
    const before = known.get(member.member);
    const isCandidate = member.isCandidate || before?.isCandidate === true;
    known.set(member.member, { ...member, ...before, isCandidate, leads: [] });
  }
  const led = new Map<string, number[]>();
  for (const [partition, { member }] of roster)
    led.set(member, [...(led.get(member) ?? []), partition]);
  return [...known.values()]
    .map((one) => ({ ...one, leads: led.get(one.member) ?? [] }))
    .sort((a, b) => (a.member < b.member ? -1 : 1));
}

/** The same for every change. */
export function combinedMembers$(
  sources: readonly LeadershipSource[],
  roster$: Observable<Roster>,
): Observable<readonly GroupMember[]> {
  return combineLatest([combineLatest(sources.map(({ members$ }) => members$)), roster$]).pipe(
    map(([groups, roster]) => combinedMembers(groups, roster)),
    distinctUntilChanged(isSame),
  );
}
