// Conformance checks of `lead`, which runs work during terms.
import type { Term } from '@leadership/core';
import { assert } from '../assert.ts';
import { watchFor } from '../await-condition.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { aborted, gate } from '../gate.ts';

/** `lead` runs its work once per term. */
export const leadOncePerTerm: Check = defineCheck({
  id: 'lead-once-per-term',
  title:
    '`lead` runs its work once per term; after the work returns, the term stays idle until it ends, and `lead` continues until its signal aborts',
  async run(context) {
    const source = context.open('a');
    const role = source.role(0);
    const runs: Term[] = [];
    const stop = new AbortController();
    const leading = role.lead((term) => void runs.push(term), { signal: stop.signal });
    const first = await context.until('work runs', () => runs[0]);
    await watchFor(context.thresholdMs, () =>
      runs.length > 1 && runs[1] === first
        ? 'work that returned was run again in the same term'
        : undefined,
    );
    if (!first.isCurrent())
      throw new Inconclusive('the term ended although its work had only returned');
    await context.settled('the leader resigns', role.resign());
    const second = await context.until('work runs in the next term', () => runs[1]);
    assert(second.token > first.token, 'the second run was not given a later term');
    assert(
      new Set(runs.map(({ token }) => token)).size === runs.length,
      'work ran twice in one term',
    );
    stop.abort();
    await context.settled('lead() whose signal aborted', leading);
  },
});

/** Concurrent calls of `lead` hold the barrier. */
export const leadsHoldBarrier: Check = defineCheck({
  id: 'leads-hold-the-barrier',
  title:
    'Concurrent `lead` calls on one role all run their work, and an orderly end of the term waits for all of them (H2)',
  appliesTo: ({ handover }) => handover === 'drained',
  async run(context) {
    using quick = gate();
    using slow = gate();
    const source = context.open('a');
    const role = source.role(0);
    let running = 0;
    const work = (until: Promise<void>) => async (): Promise<void> => {
      running += 1;
      await until;
    };
    const stop = new AbortController();
    const leading = [quick, slow].map(({ passed }) =>
      role.lead(work(passed), { signal: stop.signal }),
    );
    await context.until('both leads run their work', () => running === 2);
    let resigned = false;
    const resigning = role.resign().then(() => (resigned = true));
    quick.open();
    await watchFor(context.thresholdMs, () =>
      resigned ? 'the term ended while the work of one lead was running' : undefined,
    );
    slow.open();
    await context.settled('the leader has resigned', resigning);
    stop.abort();
    await context.settled('both leads end', Promise.all(leading));
  },
});

/** `leadEach` runs its work per partition. */
export const leadEachPartition: Check = defineCheck({
  id: 'lead-each-partition',
  title:
    '`leadEach` runs its work once for each partition that this member leads, and not after close',
  async run(context) {
    const partitions = 3;
    const source = context.open('a', { partitions });
    const running = new Set<number>();
    let runs = 0;
    const leading = source.leadEach(async ({ partition, signal }) => {
      runs += 1;
      running.add(partition);
      await aborted(signal);
      running.delete(partition);
    });
    await context.until('work runs in every partition', () => running.size === partitions);
    await context.settled('a closes', source.close());
    await context.settled('leadEach() of a closed source', leading);
    assert(running.size === 0, 'close() resolved while the work of a partition was running');
    assert(runs >= partitions, `work ran ${runs} times for ${partitions} partitions`);
  },
});

/** `ifLeading` runs its work within the term. */
export const ifLeadingRuns: Check = defineCheck({
  id: 'if-leading',
  title:
    '`ifLeading` runs its work immediately if this member leads, returns the result, and holds the barrier; otherwise it returns `undefined` without running the work (H2)',
  async run(context) {
    using drain = gate();
    const observer = context.open('observer', { campaign: false });
    const source = context.open('a');
    let ran = false;
    const idle = observer.role(0).ifLeading(() => {
      ran = true;
    });
    assert(idle === undefined && !ran, 'ifLeading() ran work for a member that does not lead');
    const { role, token } = await context.leader([source]);
    const work = role.ifLeading(async (term) => {
      await drain.passed;
      return term.token;
    });
    assert(work !== undefined, 'ifLeading() ran nothing for a member that leads');
    let resigned = false;
    const resigning = role.resign().then(() => (resigned = true));
    const late = role.ifLeading(() => undefined);
    assert(late === undefined, 'ifLeading() began work in a term that was ending');
    await watchFor(context.thresholdMs, () =>
      resigned ? 'the term ended while ifLeading() was running' : undefined,
    );
    drain.open();
    assert(
      (await context.settled('work settles', work)) === token,
      'ifLeading() did not answer what its work did',
    );
    await context.settled('the leader has resigned', resigning);
  },
});
