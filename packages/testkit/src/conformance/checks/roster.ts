// Conformance checks of the roster: who leads what, as each member sees it.
import type { LeadershipSource, Roster } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import type { CheckContext } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';

const partitions = 4;

/** All members agree on the roster. */
export const rosterAgreement: Check = defineCheck({
  id: 'roster-agreement',
  title:
    'All members learn the leader and token of every partition, and `roster`, `roster$`, `leader` and `leader$` agree, before and after a hand-over',
  // Two permanent leaders cannot be agreed on.
  appliesTo: ({ overlapMsMax }) => overlapMsMax !== 'unbounded',
  async run(context) {
    const sources = ['a', 'b', 'c'].map((member) => context.open(member, { partitions }));
    await agreement(context, sources);
    const leader = await context.leader(sources);
    await context.settled('a leader resigns', leader.role.resign());
    await agreement(context, sources);
  },
});

async function agreement(
  context: CheckContext,
  sources: readonly LeadershipSource[],
): Promise<void> {
  for (const source of sources) {
    await context.until(`${source.member} knows who leads what`, () => {
      const truth = truthOf(sources);
      return truth.size === partitions && textOf(source.roster()) === textOf(truth);
    });
    await context.until(`the streams of ${source.member} agree with its roster`, () =>
      agreesWithStreams(source),
    );
  }
}

function agreesWithStreams(source: LeadershipSource): boolean {
  using rosters = recorded(source.roster$);
  using leaders = recorded(source.role(0).leader$);
  const own = source.role(0).leader();
  const last = rosters.values.at(-1);
  assert(last !== undefined, 'roster$ replayed nothing');
  return (
    textOf(last) === textOf(source.roster()) &&
    leaders.values.at(-1)?.token === own?.token &&
    own?.token === last.get(0)?.token
  );
}

/** Returns the true leaders: each member reports which partitions it holds. */
function truthOf(
  sources: readonly LeadershipSource[],
): ReadonlyMap<number, { readonly member: string; readonly token: bigint }> {
  const truth = new Map<number, { readonly member: string; readonly token: bigint }>();
  for (const { member, held } of sources.map((source) => ({
    member: source.member,
    held: source.held(),
  }))) {
    for (const [partition, { token }] of held) truth.set(partition, { member, token });
  }
  return truth;
}

function textOf(roster: Roster | ReturnType<typeof truthOf>): string {
  const lines = [...roster].map(
    ([partition, { member, token }]) => `${partition}: ${member} ${token}`,
  );
  return lines.sort().join(', ');
}
