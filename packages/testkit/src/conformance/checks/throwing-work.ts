// Conformance check with work that throws.
import { rejectionsOf } from '../../faults/rejection-watch.ts';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';

/** `lead` with work that throws. */
export const workThatThrows: Check = defineCheck({
  id: 'work-that-throws',
  title:
    'When work throws, the member resigns the partition, `health` reports `work-failed`, and after a back-off the member leads again and runs the work again',
  async run(context) {
    const source = context.open('a');
    const role = source.role(0);
    const failing = new Error('work failed: this is part of a check');
    const tokens: bigint[] = [];
    const leading = role.lead(({ token }) => {
      tokens.push(token);
      if (tokens.length === 1) throw failing;
    });
    await context.until('work runs', () => tokens[0] !== undefined);
    await context.until('the partition is resigned', () => !role.isLeading());
    const trouble = source.health().troubles.find(({ code }) => code === 'work-failed');
    assert(
      trouble !== undefined && !source.health().ok,
      'health() does not say work-failed after work threw',
    );
    const second = await context.until('it leads again and runs its work', () => tokens[1]);
    assert(second > (tokens[0] ?? 0n), 'work was run again in the term it had thrown in');
    await context.until(
      'health() says nothing of it once work succeeds',
      () => source.health().troubles.length === 0,
    );
    await context.settled('a closes', source.close());
    await context.settled('lead() of a closed source', leading);
  },
});

/** `lead` with `onThrow: 'reject'`. */
export const onThrowReject: Check = defineCheck({
  id: 'on-throw-reject',
  title:
    "With `onThrow: 'reject'`, `lead` rejects with the error that the work threw, and the member resigns the partition",
  async run(context) {
    const source = context.open('a');
    const role = source.role(0);
    const failing = new Error('work failed: this is part of a check');
    let runs = 0;
    const work = (): never => {
      runs += 1;
      throw failing;
    };
    const answer = role.lead(work, { onThrow: 'reject' }).then(
      () => 'resolved',
      (error: unknown) => error,
    );
    const reported = await context.settled('lead() whose work threw', answer);
    assert(
      reported === failing,
      `lead() did not reject with what work threw, but: ${String(reported)}`,
    );
    await context.until('the partition is resigned', () => !role.isLeading());
    await context.leader([source]);
    assert(runs === 1, `work was run ${runs} times although lead() had rejected`);
  },
});

/** Rejections of work are always handled. */
export const rejectionsAreHandled: Check = defineCheck({
  id: 'rejections-are-handled',
  title:
    'Rejected work never causes an unhandled rejection, neither in `lead` nor in `waitUntil`, even if the term has ended',
  // It replaces the other listeners for unhandled rejections.
  alone: true,
  async run(context) {
    const failing = new Error('work rejected: this is part of a check');
    using reports = rejectionsOf((reason) => reason === failing);
    const source = context.open('a');
    const { role } = await context.leader([source]);
    role.term()?.waitUntil(Promise.reject(failing));
    let runs = 0;
    const reject = async ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
      runs += 1;
      signal.throwIfAborted();
      throw failing;
    };
    const leading = [role.lead(reject), source.leadEach(reject)];
    await context.until('work runs and rejects', () => runs >= 2);
    await context.until('it leads again and rejects again', () => runs >= 4);
    await context.settled('a closes', source.close());
    await context.settled('all leads end', Promise.all(leading));
    // Node reports once the microtasks are done.
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert(reports.reasons.length === 0, `${reports.reasons.length} rejections were not handled`);
  },
});
