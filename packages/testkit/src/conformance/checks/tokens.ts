// Conformance checks of tokens, which fence late writes: they only grow.
import type { LeadershipSource } from '@leadership/core';
import { assert, assertGreater } from '../assert.ts';
import type { Check } from '../check.ts';
import { defineCheck } from '../define-check.ts';
import { safetyMonitor } from '../safety-monitor.ts';

/** T1: tokens grow. */
export const tokensGrow: Check = defineCheck({
  id: 'tokens-only-grow',
  title:
    'The token of every term is greater than all earlier tokens, whichever member leads (T1, T3)',
  appliesTo: ({ tokens }) => tokens === 'ordered',
  async run(context) {
    const sources = [context.open('a'), context.open('b')];
    using seen = safetyMonitor(...sources);
    for (let round = 0; round < 4; round += 1) {
      const leader = await context.leader(sources);
      seen.assertSound();
      await context.settled('the leader resigns', leader.role.resign());
    }
    await context.settled('all close', Promise.all(sources.map((source) => source.close())));
    const last = seen.watch(context.open('c'));
    await context.leader([last]);
    assert(seen.terms >= 5, `only ${seen.terms} terms began`);
    seen.assertSound();
  },
});

/** T2. An unfenced store proves that the zombie would do harm. */
export const fencedStore: Check = defineCheck({
  id: 'fenced-store-refuses-zombies',
  title:
    'A store that rejects lower tokens loses no write when a former leader keeps writing; a store without this check loses writes (T2)',
  needs: ['cut'],
  appliesTo: ({ tokens }) => tokens === 'ordered',
  async run(context) {
    const sources = [context.open('a'), context.open('b')];
    const store = notedStore();
    using _writing = writers(sources, store);
    const zombie = await context.leader(sources);
    await context.until('the leader writes', () => store.writes > 0);
    context.cut(zombie.source);
    const successor = await context.leader(zombie.others);
    assertGreater("the successor's token", successor.token, zombie.token);
    await context.until('the successor writes', () => store.highest === successor.token);
    const { refused } = store;
    await context.until('the zombie writes after its successor', () => store.refused > refused);
    assert(
      store.highest === successor.token,
      'a store that refuses lower tokens lost a write of the successor to a zombie',
    );
    assert(store.lost > 0, 'the unfenced store lost no write: this check proves nothing');
  },
});

/**
 * Two registers that receive the same writes: one refuses tokens below the highest that it has
 * received, the other accepts everything.
 */
interface NotedStore {
  writes: number;
  highest: bigint;
  refused: number;
  /**
   * Writes of a later term that an earlier term's write replaced, in the register that accepts
   * everything.
   */
  lost: number;
  write(token: bigint): void;
}

function notedStore(): NotedStore {
  let unfenced = -1n;
  const store: NotedStore = {
    writes: 0,
    highest: -1n,
    refused: 0,
    lost: 0,
    write(token) {
      store.writes += 1;
      if (token < unfenced) store.lost += 1;
      unfenced = token;
      if (token < store.highest) store.refused += 1;
      else store.highest = token;
    },
  };
  return store;
}

/** Work with a mistake: it continues to write after its term, because it never checks the term. */
function writers(sources: readonly LeadershipSource[], store: NotedStore): Disposable {
  const timers = new Set<ReturnType<typeof setInterval>>();
  const begin = (token: bigint): void => void timers.add(setInterval(() => store.write(token), 5));
  for (const source of sources)
    source.role(0).leadership$.subscribe((l) => l.state === 'leading' && begin(l.term.token));
  return { [Symbol.dispose]: () => timers.forEach(clearInterval) };
}
