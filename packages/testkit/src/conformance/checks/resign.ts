// Conformance checks of `resign`.
import { assert, assertGreater } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { recorded, reportedBy } from '../recorded.ts';
import { successorOf } from '../successor.ts';

/** Resign while another candidate is ready. */
export const resignHandsOver: Check = defineCheck({
  id: 'resign-hands-over',
  title:
    '`resign` resolves once this member no longer leads; another member takes over and keeps the partition (L9)',
  async run(context) {
    const sources = [context.open('a'), context.open('b')];
    const leader = await context.leader(sources);
    const { role, source, token, others } = leader;
    await context.allReady(others);
    await context.settled('the leader resigns', role.resign());
    // Where terms may overlap, the member may be the only candidate that is left, and begin another.
    const isOver = source.guarantees.exclusive ? !role.isLeading() : role.term()?.token !== token;
    assert(isOver, 'resign() resolved while the member still led');
    const next = await successorOf(context, leader);
    const isOrdered = source.guarantees.tokens === 'ordered';
    assert(
      !isOrdered || next.token > token,
      `the successor's token ${next.token} is not greater than ${token}`,
    );
    using events = recorded(next.source.events$);
    await watchFor(2 * context.thresholdMs, () => {
      if (next.role.term()?.token !== next.token) {
        throw new Inconclusive(
          `the successor lost what it had been handed over: ${reportedBy(events)}`,
        );
      }
      if (!role.isLeading()) return undefined;
      const complaint = 'a member that had resigned took the partition back at once';
      // Where terms may overlap, it may also lead because the group replaced the successor, which
      // could not show that it lives.
      if (!source.guarantees.exclusive)
        throw new Inconclusive(`${complaint}; the successor: ${reportedBy(events)}`);
      return complaint;
    });
  },
});

/** L9: a single member resigns. */
export const resignerWaits: Check = defineCheck({
  id: 'resigner-waits',
  title:
    'A member that resigned does not claim the partition until it has been free for T; then it leads again (L9)',
  async run(context) {
    const source = context.open('a');
    const { role, token } = await context.leader([source]);
    // The clock starts before the call, because its answer may take as long as the wait.

    const askedAt = performance.now();
    await context.settled('the leader resigns', role.resign());
    const again = await context.until('a member that is alone leads again after it resigned', () =>
      role.term(),
    );
    const waitedMs = performance.now() - askedAt;
    assert(
      waitedMs >= context.thresholdMs,
      `it led again ${Math.round(waitedMs)} ms after it had resigned: no other member had a chance`,
    );
    assertGreater('its token', again.token, token);
  },
});
