// Conformance checks of the list of members.
import type { GroupMember, LeadershipSource } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';

const partitions = 4;

/** The members of a group as all of them see it. */
export const membersAreListed: Check = defineCheck({
  id: 'members-are-listed',
  title:
    'Every member, one that only observes too, lists all candidates: since when, what they lead, their metadata and roles, and the code of their first trouble; one that has closed is no longer listed',
  needs: ['members'],
  async run(context) {
    const open = (member: string, campaign: boolean): LeadershipSource =>
      context.open(member, { partitions, campaign, metadata: { of: member } });
    const [a, b, observer] = [open('a', true), open('b', true), open('c', false)];
    const { partition } = a.role('invoice-run');
    const sources = [a, b, observer];
    await all(context, sources, 'lists both candidates', (source) => isTrue(source, [a, b]));
    await all(
      context,
      sources,
      'lists the role of a',
      (source) => candidate(source, 'a')?.roles['invoice-run'] === partition,
    );
    await context.settled('b closes', b.close());
    await all(context, [a, observer], 'no longer lists b', (source) => isTrue(source, [a]));
    await troubleIsListed(context, a, [a, observer]);
  },
});

/** The trouble of the only candidate, while it lasts: it would end once another one leads. */
async function troubleIsListed(
  context: CheckContext,
  member: LeadershipSource,
  sources: readonly LeadershipSource[],
): Promise<void> {
  const { source, role } = await context.leader([member]);
  const stop = new AbortController();
  const failing = new Error('work failed: this is part of a check');
  const leading = role.lead(
    () => {
      throw failing;
    },
    { signal: stop.signal },
  );
  const troubleOf = (other: LeadershipSource): string | undefined =>
    candidate(other, source.member)?.trouble;
  await all(context, sources, 'lists the trouble', (one) => troubleOf(one) === 'work-failed');
  stop.abort();
  await context.settled('lead() that was stopped', leading);
  await all(context, sources, 'lists no trouble', (one) => troubleOf(one) === undefined);
}

async function all(
  context: CheckContext,
  sources: readonly LeadershipSource[],
  what: string,
  holds: (source: LeadershipSource) => boolean,
): Promise<void> {
  for (const source of sources)
    await context.until(`${source.member} ${what}`, () => holds(source));
}

function candidates(source: LeadershipSource): readonly GroupMember[] {
  return source.members().filter(({ isCandidate }) => isCandidate);
}

function candidate(source: LeadershipSource, name: string): GroupMember | undefined {
  return candidates(source).find(({ member }) => member === name);
}

/** Whether `members()` and `members$` list these candidates, and what they lead. */
function isTrue(source: LeadershipSource, present: readonly LeadershipSource[]): boolean {
  using lists = recorded(source.members$);
  const last = lists.values.at(-1);
  assert(last !== undefined, 'members$ replayed nothing');
  const streamed = last.filter(({ isCandidate }) => isCandidate);
  const known = candidates(source);
  return (
    textOf(streamed) === textOf(known) &&
    known.length === present.length &&
    known.every((member, index) => isAs(member, source, present[index]))
  );
}

function isAs(
  { member, self, leads, metadata, since }: GroupMember,
  reader: LeadershipSource,
  source: LeadershipSource | undefined,
): boolean {
  if (source === undefined) return false;
  const held = [...source.held().keys()].sort((x, y) => x - y);
  return (
    member === source.member &&
    self === (source === reader) &&
    metadata['of'] === source.member &&
    (since?.getTime() ?? Number.POSITIVE_INFINITY) <= Date.now() + clockSlackMs &&
    String(leads) === String(held)
  );
}

/** By how much the clock of this process may go back during a check. Milliseconds. */
const clockSlackMs = 60_000;

function textOf(members: readonly GroupMember[]): string {
  return JSON.stringify(members.map(({ member, leads }) => [member, leads]));
}
