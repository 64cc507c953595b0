// Conformance check with a subscriber that throws.
import { config } from 'rxjs';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';
import { streamsOf } from '../streams-of.ts';

/** Stream rule: a subscriber that throws. */
export const throwingSubscriber: Check = defineCheck({
  id: 'throwing-subscriber-is-isolated',
  title:
    'A subscriber that throws on every value does not affect other subscribers, terms or hand-overs (stream law)',
  // RxJS reports what subscribers throw through one global hook.
  alone: true,
  async run(context) {
    const thrown = new Error('a subscriber threw: this is part of a check');
    await using reports = reportsOf(thrown);
    // Closed within the check: its last values are thrown at as well.
    await using source = context.open('a');
    const throwNow = (): never => {
      throw thrown;
    };
    for (const stream$ of [...streamsOf(source).values(), source.events$])
      stream$.subscribe(throwNow);
    using leadership = recorded(source.role(0).leadership$);
    using events = recorded(source.events$);
    const { role } = await context.leader([source]);
    await context.settled('a resigns', role.resign());
    const states = leadership.values.map(({ state }) => state).join(' ');
    assert(
      leadership.error === undefined && events.error === undefined,
      'another subscriber received an error',
    );
    assert(
      states.endsWith('leading revoking waiting'),
      `beside a subscriber that throws, another subscriber received from leadership$: ${states}`,
    );
    assert(
      events.values.some(({ kind }) => kind === 'released'),
      'beside a subscriber that throws, another subscriber did not receive the release from events$',
    );
    await context.until('a leads once more', () => role.isLeading());
    await context.until('what was thrown is reported, not swallowed', () => reports.count > 0);
  },
});

/** How long RxJS takes to report: it waits for a timer. Milliseconds. */
const reportMs = 10;

/** Counts what RxJS reports of `thrown`, and passes everything else on, until disposed. */
function reportsOf(thrown: unknown): AsyncDisposable & { readonly count: number } {
  const before = config.onUnhandledError;
  let count = 0;
  config.onUnhandledError = (error) => {
    if (error === thrown) count += 1;
    else if (before) before(error);
    else throw error;
  };
  return {
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => setTimeout(resolve, reportMs));
      config.onUnhandledError = before;
    },
  };
}
