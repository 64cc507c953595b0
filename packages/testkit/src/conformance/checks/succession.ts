// Conformance checks of fail-overs.
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { measureLatency, stallAllowance } from '../latency.ts';
import { safetyMonitor } from '../safety-monitor.ts';

/** Fail-over after the leader is cut off. */
export const successionAfterCut: Check = defineCheck({
  id: 'succession-after-cut',
  title:
    'After a leader is cut off, another member leads within `guarantees.failoverMsMax`, plus the measured stalls and round trips of at most T/10 each (L5, L9)',
  needs: ['cut'],
  async run(context) {
    const sources = ['a', 'b', 'c'].map((member) => context.open(member));
    using seen = safetyMonitor(...sources);
    const lost = await context.leader(sources);
    await context.allReady(sources);
    const latencyMs = await measureLatency(context);
    context.stall.take();
    const lostAt = performance.now();
    context.cut(lost.source);
    const next = await context.leader(lost.others);
    const tookMs = performance.now() - lostAt;
    const { exclusive, tokens, failoverMsMax } = lost.source.guarantees;
    assert(
      !(exclusive && lost.role.isLeading()),
      `${next.source.member} led while ${lost.source.member}, which had been cut off, still believed to lead`,
    );
    seen.assertSound();
    assert(
      tokens === 'none' || next.token > lost.token,
      `the successor's token ${next.token} is not greater than ${lost.token}`,
    );
    if (failoverMsMax === 'unbounded') return;
    const boundMs = failoverMsMax + latencyMs + stallAllowance(context);
    if (tookMs > boundMs)
      throw new Inconclusive(
        `fail-over took ${Math.round(tookMs)} ms, promised were ${Math.round(boundMs)}`,
      );
  },
});
