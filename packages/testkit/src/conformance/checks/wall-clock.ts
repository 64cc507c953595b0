// Conformance checks in which the wall clock jumps.
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { recorded, reportedBy } from '../recorded.ts';
import { safetyMonitor } from '../safety-monitor.ts';

const hourMs = 3_600_000;

/** Steps of the wall clock change nothing (T1). */
export const wallClockSteps: Check = defineCheck({
  id: 'wall-clock-steps',
  title:
    'When the wall clock moves an hour forward or backward, no term ends, no second member leads, and tokens keep growing (T1: wall clocks decide nothing)',
  alone: true,
  async run(context) {
    const sources = [context.open('a'), context.open('b')];
    using seen = safetyMonitor(...sources);
    for (const stepMs of [hourMs, -hourMs]) {
      const leader = await context.leader(sources);
      using _stepped = stepWallClock(stepMs);
      using events = recorded(leader.source.events$);
      const direction = stepMs > 0 ? 'forth' : 'back';
      await watchFor(2 * context.thresholdMs, () => {
        if (leader.role.term()?.token === leader.token) return void seen.assertSound();
        throw new Inconclusive(
          `the term ended when the wall clock was set ${direction}: ${reportedBy(events)}`,
        );
      });
      await context.settled('the leader resigns', leader.role.resign());
      const next = await context.leader(sources);
      const { tokens } = leader.source.guarantees;
      assert(
        tokens === 'none' || next.token > leader.token,
        `tokens did not grow after the wall clock was set ${direction}`,
      );
    }
    seen.assertSound();
  },
});

/** Replaces `Date` by one that is ahead by this time, until disposed. */
function stepWallClock(byMs: number): Disposable {
  const before = globalThis.Date;
  const stepped = new Proxy(before, {
    construct: (date, args, target) =>
      Reflect.construct(date, args.length === 0 ? [before.now() + byMs] : args, target) as object,
    get: (date, key, receiver) =>
      key === 'now' ? () => before.now() + byMs : (Reflect.get(date, key, receiver) as unknown),
  });
  globalThis.Date = stepped;
  return {
    [Symbol.dispose]() {
      globalThis.Date = before;
    },
  };
}
