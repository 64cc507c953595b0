// Conformance checks of orderly hand-overs.
import type { LeadershipSource } from '@leadership/core';
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import type { CheckContext, Leading } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { aborted, beginWork, gate } from '../gate.ts';
import { recorded } from '../recorded.ts';
import { successorOf } from '../successor.ts';

/** H2: the successor waits for the drain. */
export const orderlyHandover: Check = defineCheck({
  id: 'orderly-handover',
  title:
    'A successor never leads before the work of the resigning leader has settled, however long the work takes (H2)',
  appliesTo: ({ handover }) => handover === 'drained',
  async run(context) {
    using drain = gate();
    const { leader, other } = await leaderAndOther(context);
    let settled = false;
    const work = async (): Promise<void> => {
      await drain.passed;
      settled = true;
    };
    beginWork(leader.role, work);
    const resigned = leader.role.resign();
    // Long enough for a lease that is not renewed while work drains to lapse.
    await watchFor(2 * context.thresholdMs, () =>
      other.role(0).isLeading() ? 'the successor led before the work had settled' : undefined,
    );
    drain.open();
    await context.settled('the leader has resigned', resigned);
    await successorOf(context, leader);
    assert(settled, 'the successor led before the work had settled');
  },
});

/** H3: the drain times out. */
export const drainTimeout: Check = defineCheck({
  id: 'drain-timeout-fences-first',
  title:
    'Work that does not settle within `drainTimeoutMs` is fenced before a successor leads (H3)',
  appliesTo: ({ handover }) => handover === 'drained',
  async run(context) {
    using never = gate();
    const { leader, other } = await leaderAndOther(context, {
      drainTimeoutMs: context.thresholdMs / 2,
    });
    using states = recorded(leader.role.leadership$);
    const { signal, fenced } = beginWork(leader.role, () => never.passed);
    const atSuccession = aborted(
      other.role(0).isLeading() ? AbortSignal.abort() : signalOf(other),
    ).then(() => ({
      fenced: fenced.aborted,
      state: states.values.map(({ state }) => state).join(' '),
    }));
    const resigned = leader.role.resign();
    await context.settled('the signal of the term aborts', aborted(signal));
    await successorOf(context, leader);
    const then = await context.settled('another leads after the drain timed out', atSuccession);
    assert(then.fenced, 'the successor led before the work that did not settle was fenced');
    assert(
      then.state.includes('revoking fenced'),
      `leadership$ emitted ${then.state}: the time-out must show as fenced`,
    );
    const end = states.values.find((leadership) => leadership.state === 'fenced');
    assert(
      end?.state === 'fenced' && end.reason === 'drain-timed-out',
      `the reason was not drain-timed-out but ${end?.state === 'fenced' && end.reason}`,
    );
    await context.settled('the leader has resigned', resigned);
  },
});

async function leaderAndOther(
  context: CheckContext,
  options = {},
): Promise<{ readonly leader: Leading; readonly other: LeadershipSource }> {
  const sources = [context.open('a', options), context.open('b', options)] as const;
  const leader = await context.leader(sources);
  const other = leader.source === sources[0] ? sources[1] : sources[0];
  await context.settled('the other is ready', other.ready());
  return { leader, other };
}

/** Aborts, in the very moment, when the source begins to lead. */
function signalOf(source: LeadershipSource): AbortSignal {
  const began = new AbortController();
  recorded(source.role(0).leadership$, ({ state }) => state === 'leading' && began.abort());
  return began.signal;
}
