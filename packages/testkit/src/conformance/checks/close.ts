// Conformance checks of closing a source.
import { LeadershipError } from '@leadership/core';
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { leadingNow } from '../check-context.ts';
import { defineCheck } from '../define-check.ts';
import { beginWork, gate } from '../gate.ts';
import { judgeHandover } from '../latency.ts';
import { recorded } from '../recorded.ts';

/** Repeated calls of close, and calls on a closed source. */
export const closeIsIdempotent: Check = defineCheck({
  id: 'close-is-idempotent',
  title:
    'Repeated calls of `close` have no effect; a closed source leads no partition, its `health().ok` is false, and all its methods still return or resolve',
  async run(context) {
    const source = context.open('a');
    const { role } = await context.leader([source]);
    await context.settled('closing twice at once', Promise.all([source.close(), source.close()]));
    await context.settled('closing once more', source.close());
    assert(
      !role.isLeading() && role.term() === undefined && source.held().size === 0,
      'a closed source still leads',
    );
    assert(role.ifLeading(() => undefined) === undefined, 'a closed source ran work');
    await context.settled(
      'lead() of a closed source',
      role.lead(() => undefined),
    );
    await context.settled('resign() of a closed source', role.resign());
    assert(!source.health().ok, 'health() of a closed source is good');
  },
});

/** Close before the source is ready. */
export const closeDuringStart: Check = defineCheck({
  id: 'close-during-start',
  title:
    'A source that is closed during start never leads, and its `ready` rejects with `closed` unless it was already resolved',
  async run(context) {
    const source = context.open('a');
    const ready = source.ready().catch((error: unknown) => error);
    await context.settled('a source that had just been opened closes', source.close());
    const answer = await context.settled('ready() of a source that was closed', ready);
    const isClosed =
      answer === undefined || (answer instanceof LeadershipError && answer.code === 'closed');
    assert(
      isClosed,
      `ready() of a source that was closed did not reject with closed, but with ${String(answer)}`,
    );
    await watchFor(2 * context.thresholdMs, () =>
      source.role(0).isLeading() ? 'a source led after it had been closed' : undefined,
    );
    const next = context.open('b');
    await context.leader([next]);
  },
});

/** Close while other candidates are ready. */
export const closeHandsOver: Check = defineCheck({
  id: 'close-hands-over',
  title: 'When a leader closes, a successor leads without waiting for the lease to expire (L6)',
  async run(context) {
    const sources = [context.open('a'), context.open('b')];
    const { source, token, others } = await context.leader(sources);
    await context.allReady(others);
    // Without ordered tokens the successor's may be lower.
    const isOrdered = source.guarantees.tokens === 'ordered';
    await judgeHandover(
      context,
      'the hand-over at close',
      () => source.close(),
      () =>
        context.until('another leads in a later term', () => {
          const next = leadingNow(others);
          return next !== undefined && (!isOrdered || next.token > token);
        }),
    );
  },
});

/** Close while work is running. */
export const closeWaitsForWork: Check = defineCheck({
  id: 'close-waits-for-work',
  title:
    '`close` aborts the signal of running work and waits for it; no successor leads before the work has settled (H2)',
  appliesTo: ({ handover }) => handover === 'drained',
  async run(context) {
    using drain = gate();
    const sources = [context.open('a'), context.open('b')];
    const { source, role, others } = await context.leader(sources);
    let settled = false;
    const term = beginWork(role, () => drain.passed.then(() => (settled = true)));
    let closed = false;
    const closing = source.close().then(() => (closed = true));
    await context.until('running work receives the end of its term', () => term.signal.aborted);
    await watchFor(2 * context.thresholdMs, () => {
      if (closed) return 'close() resolved while work was running';
      return others.some((other) => other.role(0).isLeading())
        ? 'a successor led while the work of a closing leader was running'
        : undefined;
    });
    drain.open();
    await context.settled('close() after the work has settled', closing);
    assert(settled, 'close() resolved before the work had settled');
    await context.leader(others);
  },
});

/** Close and resign called by the work that they wait for. */
export const closeFromInsideWork: Check = defineCheck({
  id: 'close-from-inside-work',
  title:
    '`close` and `resign` called from inside work resolve once the revocation has begun, without a deadlock and without shortening the barrier',
  async run(context) {
    const source = context.open('a');
    const { role } = await context.leader([source]);
    const term = role.term();
    const resigning = role.ifLeading(() => role.resign());
    assert(resigning !== undefined, 'the leader could not begin to work');
    await context.settled('work that resigns settles', resigning);
    await context.until(
      'a term that was resigned from inside work ends',
      () => term?.isCurrent() !== true,
    );
    await context.leader([source]);
    const closing = role.ifLeading(async () => {
      await Promise.resolve();
      await source.close();
    });
    assert(closing !== undefined, 'the leader could not begin to work');
    await context.settled('work that closes its source settles', closing);
    await context.until('a source that was closed from inside work ends', () => !role.isLeading());
  },
});

/** Close with a signal that aborts. */
export const closeWithDeadline: Check = defineCheck({
  id: 'close-with-a-deadline',
  title:
    'When the signal passed to `close` aborts, work that has not drained is fenced and `close` resolves (H4)',
  async run(context) {
    using never = gate();
    const source = context.open('a');
    const { role } = await context.leader([source]);
    using states = recorded(role.leadership$);
    const term = beginWork(role, () => never.passed);
    const hurry = new AbortController();
    const closing = source.close({ signal: hurry.signal });
    await context.until('running work receives the end of its term', () => term.signal.aborted);
    assert(!term.fenced.aborted, 'work was fenced before the deadline');
    hurry.abort();
    await context.settled('close() after its signal aborted', closing);
    assert(term.fenced.aborted && !role.isLeading(), 'work that did not drain was not fenced');
    const last = states.values.at(-1);
    assert(
      last?.state === 'fenced' && states.completed,
      `the last word of leadership$ was ${last?.state}, not fenced`,
    );
  },
});
