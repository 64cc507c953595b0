import { describe, expect, it } from 'vitest';
import { type TermInput, type TermOutput, Terms } from '../../src/engine/terms.ts';
import { after } from '../../src/time/instant.ts';
import { drainingHost } from '../support/draining-host.ts';
import { turn } from '../support/manual-clock.ts';

/** The terms of partition 3, and the inputs that they feed. */
function termsOf(answer: 'began' | 'over' = 'began') {
  const host = { ...drainingHost(), granted: () => answer };
  const fed: TermInput[] = [];
  let draining: bigint | undefined;
  const feed = (input: TermInput): unknown => fed.push(input);
  const terms = new Terms({ host, feed, drainingToken: () => draining });
  const now = host.clock.now();
  const granted: TermOutput = { kind: 'granted', token: 7n, until: after(now, 100), sentAt: now };
  return {
    terms,
    host,
    fed,
    granted,
    drains(token: bigint | undefined): void {
      draining = token;
    },
  };
}

describe('terms', () => {
  it('let the machine release a lease whose proof the host no longer accepts (T3)', () => {
    const { terms, fed, granted } = termsOf('over');
    terms.perform(3, granted);
    expect(fed).toEqual([{ kind: 'fenced', partition: 3, lapse: false }]);
  });

  it('feed nothing for a proof that the host accepts', () => {
    const { terms, fed, granted } = termsOf();
    terms.perform(3, granted);
    expect(fed).toEqual([]);
  });

  it.each([
    ['drained', { kind: 'drained', partition: 3 }],
    ['fenced', { kind: 'fenced', partition: 3, lapse: true }],
  ] as const)('inform the machine how its drain ended: %s (H2, H3)', async (end, input) => {
    const { terms, host, fed, drains } = termsOf();
    drains(7n);
    terms.perform(3, { kind: 'drain', token: 7n });
    host.drains[0]?.(end);
    await turn();
    expect(fed).toEqual([input]);
  });

  it.each([undefined, 8n])(
    'ignore the end of a drain of an earlier term: %s drains (H2)',
    async (token) => {
      const { terms, host, fed, drains } = termsOf();
      drains(token);
      terms.perform(3, { kind: 'drain', token: 7n });
      host.drains[0]?.('drained');
      await turn();
      expect(fed).toEqual([]);
    },
  );
});
