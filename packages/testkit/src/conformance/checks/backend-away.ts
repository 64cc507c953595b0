// Conformance checks in which the store is unreachable for a while.
import { assert, assertGreater } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { recorded } from '../recorded.ts';

/** The store becomes unreachable and comes back. */
export const backendAwayAndBack: Check = defineCheck({
  id: 'backend-away-and-back',
  title:
    'While the store is unreachable, the leader stops leading within T, its term is fenced, and `health` reports the cause; once the store is back, the member leads again with a greater token (L3, H4)',
  needs: ['cut'],
  async run(context) {
    const source = context.open('a');
    const { role, token } = await context.leader([source]);
    // A lease that lapsed meanwhile comes again: who does not lead is not fenced.
    await context.until(
      'it leads, and health() is good',
      () => role.isLeading() && source.health().ok,
    );
    using states = recorded(role.leadership$);
    const cut = context.cut(source);
    assert(
      role.remainingMs() <= context.thresholdMs,
      `it would believe for ${role.remainingMs()} ms without any proof`,
    );
    const cutAt = performance.now();
    let believedAt = cutAt;
    await context.until('a leader without a store is fenced', () => {
      // News may be late on a busy machine; an answer may not (H5).
      const askedAt = performance.now();
      if (role.isLeading()) believedAt = askedAt;
      return states.values.some(({ state }) => state === 'fenced');
    });
    const end = states.values.find((leadership) => leadership.state === 'fenced');
    assert(end?.state === 'fenced' && end.reason === 'expired', 'the reason was not expired');
    const believedMs = believedAt - cutAt;
    assert(
      believedMs <= context.thresholdMs,
      `it believed ${Math.round(believedMs)} ms after its last proof`,
    );
    const trouble = await context.until(
      'health() has a trouble',
      () => source.health().troubles[0],
    );
    assert(
      !source.health().ok && trouble.message.length > 0,
      'health() is good although the store is away',
    );
    cut[Symbol.dispose]();
    const again = await context.until('it leads again once the store is back', () => role.term());
    assertGreater("the new term's token", again.token, token);
    await context.until('health() is good again', () => source.health().ok);
  },
});
