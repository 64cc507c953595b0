// Conformance checks of closing a source that leads.
import type { LeadershipSource } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { type CheckContext, leadingNow } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { gate } from '../gate.ts';
import { judgeHandover } from '../latency.ts';

/** With three partitions, one of two members leads two of them. */
const partitions = 3;

/** Close with an aborted signal, without running work and while work runs in another partition. */
export const closeNowReleases: Check = defineCheck({
  id: 'close-now-releases',
  title:
    '`close` with an aborted signal fences only the terms whose work runs; it releases the others, and a successor leads them without waiting for the lease to expire (L6)',
  async run(context) {
    await withoutWork(context);
    await whileWorkRuns(context);
  },
});

async function withoutWork(context: CheckContext): Promise<void> {
  const sources = [context.open('a'), context.open('b')];
  const { source, others } = await context.leader(sources);
  await context.allReady(others);
  await closeNow(context, source, others, 0);
  await context.settled('the successor closes', Promise.all(others.map((other) => other.close())));
}

async function whileWorkRuns(context: CheckContext): Promise<void> {
  using never = gate();
  const group = `${context.group}-busy`;
  const sources = ['a', 'b'].map((member) => context.open(member, { group, partitions }));
  await context.allReady(sources);
  const { source, busy, idle } = await context.until('one of two members leads two of three', () =>
    twoOf(sources),
  );
  const others = sources.filter((other) => other !== source);
  const term = source.role(busy).term();
  const work = source.role(busy).ifLeading(() => never.passed);
  if (term === undefined || work === undefined || !source.role(idle).isLeading())
    throw new Inconclusive('the leader lost a partition before it was closed');
  await closeNow(context, source, others, idle);
  assert(term.fenced.aborted, 'work that ran was not fenced');
  await context.leader(others, busy);
}

/** Returns the member that leads two partitions, once all three have leaders. */
function twoOf(
  sources: readonly LeadershipSource[],
): { source: LeadershipSource; busy: number; idle: number } | undefined {
  if (sources.reduce((sum, source) => sum + source.held().size, 0) < partitions) return undefined;
  for (const source of sources) {
    const [busy, idle] = source.held().keys();
    if (busy !== undefined && idle !== undefined) return { source, busy, idle };
  }
  return undefined;
}

/** Closes `source` with an aborted signal, and judges how soon another leads `partition`. */
async function closeNow(
  context: CheckContext,
  source: LeadershipSource,
  others: readonly LeadershipSource[],
  partition: number,
): Promise<void> {
  await judgeHandover(
    context,
    'the hand-over of a partition without work at close',
    () => source.close({ signal: AbortSignal.abort() }),
    () =>
      context.until(`another leads partition ${partition}`, () => leadingNow(others, partition)),
  );
}
