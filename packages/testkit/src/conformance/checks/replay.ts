import type { LeadershipSource } from '@leadership/core';
import { blockLoop } from '../../faults/block-loop.ts';
import { insist } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';
import { said } from '../serialize.ts';
import { streamsOf } from '../streams-of.ts';

/** Stream rule: streams are hot and replay the latest value. */
export const streamReplay: Check = defineCheck({
  promise: 'stream-replay',
  claim: 'Every stream is hot and replays exactly one value, which is correct at the moment of subscription (stream law, H5)',
  alone: true,
  async run(trial) {
    const source = trial.open('a');
    const { role } = await trial.leader([source]);
    await trial.until('a is told as the leader to itself', () => role.leader()?.self);
    insist(firstOf(source, 'leadership$').includes('"leading"'), 'a new subscriber of leadership$ was not told that a leads');
    insist(firstOf(source, 'leader$').includes('"self":true'), 'a new subscriber of leader$ was not told that a leads');
    insist(firstOf(source, 'held$') !== '[]', 'a new subscriber of held$ was not told what a leads');
    insist(firstOf(source, 'roster$') !== '[]', 'a new subscriber of roster$ was not told that a leads');
    // Nothing but time passed since: whatever is said from here on without a look at the clock is stale.
    blockLoop(1.1 * trial.thresholdMs);
    insist(!firstOf(source, 'leadership$').includes('"leading"'), 'leadership$ replayed "leading" after the deadline had passed');
    insist(!firstOf(source, 'leader$').includes('"self":true'), 'leader$ replayed this member after its deadline had passed');
    insist(firstOf(source, 'held$') === '[]', 'held$ replayed a term after its deadline had passed');
    insist(!firstOf(source, 'roster$').includes('"self":true'), 'roster$ replayed this member after its deadline had passed');
  },
});

/** What a subscriber hears before `subscribe` returns: one value. */
function firstOf(source: LeadershipSource, name: string): string {
  const stream$ = streamsOf(source).get(name);
  insist(stream$ !== undefined, `there is no stream ${name}`);
  using heard = recorded(stream$);
  insist(
    heard.values.length === 1,
    `${name} replayed ${heard.values.length} values at subscription, not one: ${heard.values.map(said).join(' ')}`,
  );
  return said(heard.values[0]);
}
