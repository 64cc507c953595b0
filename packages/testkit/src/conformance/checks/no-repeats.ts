// Conformance checks that streams do not repeat values.
import type { Role } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';
import { serialize } from '../serialize.ts';
import { streamsOf } from '../streams-of.ts';

/** Stream rule: no repeated values. */
export const streamNeverRepeats: Check = defineCheck({
  id: 'stream-never-repeats',
  title:
    'No stream emits the same value twice in a row, even when others subscribe or leadership is renewed (stream law)',
  async run(context) {
    const source = context.open('a', { partitions: 2 });
    const received = [...streamsOf(source)].map(([name, stream$]) => ({
      name,
      log: recorded(stream$),
    }));
    const subscribeMore = (): void => {
      for (const stream$ of streamsOf(source).values()) recorded(stream$)[Symbol.dispose]();
    };
    const first = await context.leader([source]);
    subscribeMore();
    await context.until('leadership is renewed', renewal(first.role));
    subscribeMore();
    await context.settled('a resigns', first.role.resign());
    subscribeMore();
    await context.until('a leads once more', () => first.role.isLeading());
    subscribeMore();
    await context.settled('a closes', source.close());
    for (const { name, log } of received) {
      const texts = log.values.map(serialize);
      const again = texts.findIndex((text, index) => index > 0 && text === texts[index - 1]);
      assert(again < 0, () => `${name} said ${texts[again]} twice in a row`);
    }
  },
});

/** Whether the lease was extended since the last call, or there is nothing left to renew. */
function renewal(role: Role): () => boolean {
  let leftMs = role.remainingMs();
  return () => {
    const beforeMs = leftMs;
    leftMs = role.remainingMs();
    return leftMs > beforeMs || !role.isLeading();
  };
}
