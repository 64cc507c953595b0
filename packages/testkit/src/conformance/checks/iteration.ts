// Conformance checks of `for await` over a role.
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';

/** Async iteration of a role. */
export const asyncIteration: Check = defineCheck({
  id: 'async-iteration',
  title:
    'Iterating a role yields the latest value, buffers at most one value, and ends as soon as the consumer calls `return` (stream law)',
  async run(context) {
    const source = context.open('a');
    const role = source.role(0);
    const iterator = role[Symbol.asyncIterator]();
    assert(iterator.return !== undefined, 'the iteration cannot be left early');
    const { token } = await context.leader([source]);
    await context.settled('a resigns', role.resign());
    const again = await context.until('a leads once more', () => role.term());
    assert(again.token > token, 'the second term has no greater token');
    const { value } = await context.settled('the iteration yields', iterator.next());
    const yielded = value?.state === 'leading' ? `leading with ${value.term.token}` : value?.state;
    assert(
      yielded === `leading with ${again.token}`,
      `the iteration yielded an old value first: ${yielded}`,
    );
    const pending = iterator.next();
    const early = await Promise.race([pending, new Promise((resolve) => setTimeout(resolve, 20))]);
    assert(early === undefined, 'the iteration had buffered more than the latest value');
    await context.settled('leaving the iteration', iterator.return());
    const { done } = await context.settled(
      'a pull that was pending when the iteration was left',
      pending,
    );
    assert(done === true, 'an iteration that was left went on');
    assert((await iterator.next()).done === true, 'an iteration that was left yielded once more');
  },
});
