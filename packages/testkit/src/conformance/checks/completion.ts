// Conformance checks of how the streams of a source end.
import type { Leadership } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';
import { streamsOf } from '../streams-of.ts';

/** Stream rule: streams complete on close and never error. */
export const streamCompletesOnClose: Check = defineCheck({
  id: 'stream-completes-on-close',
  title:
    'Every stream completes on close, after `waiting` or `fenced`, and never errors; a late subscriber receives the last value and the completion (stream law)',
  async run(context) {
    const source = context.open('a');
    const all = new Map([...streamsOf(source), ['events$', source.events$] as const]);
    const received = [...all].map(([name, stream$]) => ({ name, log: recorded(stream$) }));
    const { role } = await context.leader([source]);
    await context.settled('a closes', source.close());
    for (const { name, log } of received) {
      assert(log.error === undefined, () => `${name} errored: ${String(log.error?.cause)}`);
      assert(log.completed, `${name} did not complete on close`);
    }
    const late = recorded<Leadership>(role.leadership$);
    const last = late.values[0];
    assert(
      late.values.length === 1 && late.completed,
      'leadership$ of a closed source did not replay its last value and complete',
    );
    assert(
      last?.state === 'waiting' || last?.state === 'fenced',
      `the last word of leadership$ was ${last?.state}`,
    );
    for (const [name, stream$] of streamsOf(source)) {
      const { completed, error } = recorded(stream$);
      assert(
        completed && error === undefined,
        `${name} of a closed source does not complete for a late subscriber`,
      );
    }
  },
});
