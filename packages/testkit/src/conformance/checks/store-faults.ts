// Conformance checks in which a store answers late, twice or not at all: what adapters get wrong
// where a request is not simply answered or refused.

import { assertGreater } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { type Leading, leadingNow } from '../check-context.ts';
import { Inconclusive } from '../failure.ts';
import { recorded, reportedBy } from '../recorded.ts';
import { type FaultContext, underSafetyMonitor } from './under-safety-monitor.ts';

/** A replica returns an old state. */
export const staleReads: Check = underSafetyMonitor({
  id: 'exclusion-under-stale-reads',
  title:
    'A member that reads an old state of the store, as from a replica, never leads at the same time as another member; tokens only grow (L1, L3, L5)',
  needs: ['stale-reads'],
  async injectFaults({ context, monitor, leader }) {
    for (const reader of leader.others.slice(0, 1)) {
      using _stale = context.injectFault(reader, 'stale-reads');
      await context.settled('the leader closes', leader.source.close());
      await watchFor(3 * context.thresholdMs, () => void monitor.assertSound());
    }
    return leader;
  },
});

/** Writes take effect, but their replies are lost. */
export const lostReplies: Check = underSafetyMonitor({
  id: 'exclusion-under-lost-replies',
  title:
    'When writes take effect and their replies are lost, two members never lead at once, and a repeated request never ends the term of a successor (L3, L4)',
  needs: ['lost-replies'],
  async injectFaults(scene) {
    const { context, monitor, leader } = scene;
    const lost = context.injectFault(leader.source, 'lost-replies');
    await watchFor(2 * context.thresholdMs, () => void monitor.assertSound());
    // A leader that learns by reading that it is renewed leads with interruptions, and only a
    // leader writes a release: a resignation between two terms has no effect, so it is repeated.
    const resigned: Promise<void>[] = [];
    const next = await context.until('another member leads', () => {
      if (leader.role.isLeading()) resigned.push(leader.role.resign());
      return leadingNow(leader.others);
    });
    await keepsItsTerm(scene, next);
    lost[Symbol.dispose]();
    await context.settled('the leader has resigned', Promise.all(resigned));
    return leader;
  },
});

/** Delayed writes of a former leader: those of a resignation among them. */
export const lateWrites: Check = underSafetyMonitor({
  id: 'late-writes-change-nothing',
  title:
    'Writes of a former leader that arrive after its successor began have no effect: the successor keeps its term (L4)',
  needs: ['late-writes'],
  async injectFaults(scene) {
    const { context, leader } = scene;
    const late = context.injectFault(leader.source, 'late-writes');
    const resigned = leader.role.resign();
    const next = await renewedSuccessor(scene);
    late[Symbol.dispose]();
    await keepsItsTerm(scene, next);
    await context.settled('the leader has resigned', resigned);
    return next;
  },
});

/**
 * Resolves with a successor whose term has had the time for one renewal: only then a late write
 * names what is not current any more. A term that a starved machine ends before does not count.
 */
async function renewedSuccessor({ context, monitor, leader }: FaultContext): Promise<Leading> {
  let token: bigint | undefined;
  let sinceMs = 0;
  return await context.until('a successor leads for T / 2', () => {
    monitor.assertSound();
    const leading = leadingNow(leader.others);
    if (leading?.token !== token) sinceMs = performance.now();
    token = leading?.token;
    return performance.now() - sinceMs >= context.thresholdMs / 2 ? leading : undefined;
  });
}

/** A leader whose writes fail. */
export const cutFromWriting: Check = underSafetyMonitor({
  id: 'exclusion-when-writes-are-cut',
  title:
    'A leader that can read but not write stops leading within T, and a successor leads with a greater token (L3, L5)',
  needs: ['writes-cut'],
  async injectFaults({ context, monitor, leader }) {
    using _cut = context.injectFault(leader.source, 'writes-cut');
    const next = await context.leader(leader.others);
    monitor.assertSound();
    assertGreater("the successor's token", next.token, leader.token);
    return next;
  },
});

/** A former leader that can write but not read. */
export const cutFromReading: Check = underSafetyMonitor({
  id: 'exclusion-when-reads-are-cut',
  title:
    'A former leader that can write before it can read never leads at the same time as its successor, which keeps its term (L3, L5)',
  needs: ['reads-cut', 'writes-cut'],
  async injectFaults(scene) {
    const { context, leader } = scene;
    using _deaf = context.injectFault(leader.source, 'reads-cut');
    const mute = context.injectFault(leader.source, 'writes-cut');
    const next = await context.leader(leader.others);
    mute[Symbol.dispose]();
    await keepsItsTerm(scene, next);
    return next;
  },
});

/**
 * Watches that the term of a successor goes on, whatever its predecessor had under way. The error
 * lists the successor's events, because they tell what ended its term.
 */
async function keepsItsTerm(
  { context, monitor }: FaultContext,
  { source, role, token }: Leading,
): Promise<void> {
  using events = recorded(source.events$);
  await watchFor(2 * context.thresholdMs, () => {
    monitor.assertSound();
    if (role.term()?.token === token) return undefined;
    throw new Inconclusive(
      `a successor lost its term to a write of its predecessor, which ought to change nothing; its events: ${reportedBy(events)}`,
    );
  });
}
