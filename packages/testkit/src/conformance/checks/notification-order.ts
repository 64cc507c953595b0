// Conformance checks of the order in which subscribers are notified.
import type { Term } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { recorded } from '../recorded.ts';

/** The order of notifications. */
export const notificationOrder: Check = defineCheck({
  id: 'notification-order',
  title:
    'Each change is published in this order: leadership ends, signals abort, then `leadership$`, `leader$` and `events$` emit',
  async run(context) {
    const source = context.open('a');
    const role = source.role(0);
    const emitted: string[] = [];
    const listen = (term: Term): void => {
      term.signal.addEventListener('abort', () => emitted.push('signal'));
      term.fenced.addEventListener('abort', () =>
        emitted.push(role.isLeading() ? 'fenced while belief goes on' : 'fenced'),
      );
    };
    recorded(role.leadership$, (leadership) => {
      emitted.push(`leadership$ ${leadership.state}`);
      if (leadership.state === 'leading') listen(leadership.term);
    });
    recorded(role.leader$, (leader) => emitted.push(`leader$ ${leader?.member ?? 'none'}`));
    recorded(source.events$, ({ kind }) => emitted.push(`events$ ${kind}`));
    await context.leader([source]);
    await context.until('every stream has emitted the new term', () =>
      emitted.includes('events$ acquired'),
    );
    assertOrder(emitted, ['leadership$ leading', 'leader$ a', 'events$ acquired']);
    assertKept(emitted);
    emitted.length = 0;
    await context.settled('a resigns', role.resign());
    await context.until(
      'every stream has emitted the end of the term',
      () => emitted.includes('events$ released') || emitted.includes('events$ fenced'),
    );
    assertKept(emitted);
    assertOrder(emitted, [
      'signal',
      'leadership$ revoking',
      'events$ revoked',
      'fenced',
      'leadership$ waiting',
      'leader$ none',
      'events$ released',
    ]);
  },
});

function assertKept(emitted: readonly string[]): void {
  if (emitted.includes('events$ fenced'))
    throw new Inconclusive('the term was lost before it could be given up');
}

function assertOrder(emitted: readonly string[], order: readonly string[]): void {
  const places = order.map((notification) => emitted.indexOf(notification));
  const isInOrder = places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1));
  assert(isInOrder, `emitted in this order: ${emitted.join(', ')}; promised: ${order.join(', ')}`);
}
