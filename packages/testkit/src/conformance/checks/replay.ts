// Conformance checks of what a late subscriber receives.
import type { LeadershipSource } from '@leadership/core';
import { blockLoop } from '../../faults/block-loop.ts';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';
import { serialize } from '../serialize.ts';
import { streamsOf } from '../streams-of.ts';

/** Stream rule: streams are hot and replay the latest value. */
export const streamReplay: Check = defineCheck({
  id: 'stream-replay',
  title:
    'Every stream is hot and replays exactly one value, which is correct at the moment of subscription (stream law, H5)',
  alone: true,
  async run(context) {
    const source = context.open('a');
    const { role } = await context.leader([source]);
    await context.until('a reports itself as the leader', () => role.leader()?.self);
    assert(
      firstOf(source, 'leadership$').includes('"leading"'),
      'a new subscriber of leadership$ did not receive that a leads',
    );
    assert(
      firstOf(source, 'leader$').includes('"self":true'),
      'a new subscriber of leader$ did not receive that a leads',
    );
    assert(
      firstOf(source, 'held$') !== '[]',
      'a new subscriber of held$ did not receive what a leads',
    );
    assert(
      firstOf(source, 'roster$') !== '[]',
      'a new subscriber of roster$ did not receive that a leads',
    );
    // Nothing but time passed since: whatever is said from here on without a look at the clock is
    // stale.
    blockLoop(1.1 * context.thresholdMs);
    assert(
      !firstOf(source, 'leadership$').includes('"leading"'),
      'leadership$ replayed "leading" after the deadline had passed',
    );
    assert(
      !firstOf(source, 'leader$').includes('"self":true'),
      'leader$ replayed this member after its deadline had passed',
    );
    assert(
      firstOf(source, 'held$') === '[]',
      'held$ replayed a term after its deadline had passed',
    );
    assert(
      !firstOf(source, 'roster$').includes('"self":true'),
      'roster$ replayed this member after its deadline had passed',
    );
  },
});

/** Returns the single value that a subscriber receives before `subscribe` returns. */
function firstOf(source: LeadershipSource, name: string): string {
  const stream$ = streamsOf(source).get(name);
  assert(stream$ !== undefined, `the source does not have a stream ${name}`);
  using received = recorded(stream$);
  assert(
    received.values.length === 1,
    `${name} replayed ${received.values.length} values at subscription, not one: ${received.values.map(serialize).join(' ')}`,
  );
  return serialize(received.values[0]);
}
