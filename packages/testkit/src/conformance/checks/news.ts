import type { Term } from '@leadership/core';
import { assert } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { Inconclusive } from '../failure.ts';
import { recorded } from '../recorded.ts';

/** The order of notifications. */
export const orderOfNews: Check = defineCheck({
  id: 'order-of-news',
  title: 'Each change is published in this order: leadership ends, signals abort, then `leadership$`, `leader$` and `events$` emit',
  async run(trial) {
    const source = trial.open('a');
    const role = source.role(0);
    const told: string[] = [];
    const listen = (term: Term): void => {
      term.signal.addEventListener('abort', () => told.push('signal'));
      term.fenced.addEventListener('abort', () => told.push(role.isLeading() ? 'fenced while belief goes on' : 'fenced'));
    };
    recorded(role.leadership$, (leadership) => {
      told.push(`leadership$ ${leadership.state}`);
      if (leadership.state === 'leading') listen(leadership.term);
    });
    recorded(role.leader$, (leader) => told.push(`leader$ ${leader?.member ?? 'nobody'}`));
    recorded(source.events$, ({ kind }) => told.push(`events$ ${kind}`));
    await trial.leader([source]);
    await trial.until('the term is told to its end', () => told.includes('events$ acquired'));
    insistOrder(told, ['leadership$ leading', 'leader$ a', 'events$ acquired']);
    insistKept(told);
    told.length = 0;
    await trial.settled('a resigns', role.resign());
    await trial.until('the end is told to its end', () => told.includes('events$ released') || told.includes('events$ fenced'));
    insistKept(told);
    insistOrder(told, [
      'signal',
      'leadership$ revoking',
      'events$ revoked',
      'fenced',
      'leadership$ waiting',
      'leader$ nobody',
      'events$ released',
    ]);
  },
});

function insistKept(told: readonly string[]): void {
  if (told.includes('events$ fenced')) throw new Inconclusive('the term was lost before it could be given up');
}

function insistOrder(told: readonly string[], order: readonly string[]): void {
  const places = order.map((news) => told.indexOf(news));
  const isInOrder = places.every((place, index) => place >= 0 && place > (places[index - 1] ?? -1));
  assert(isInOrder, `told in this order: ${told.join(', ')}; promised: ${order.join(', ')}`);
}
