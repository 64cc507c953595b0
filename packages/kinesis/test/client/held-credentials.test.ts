import { describe, expect, it } from 'vitest';
import type { Credentials } from '../../src/client/credentials.ts';
import { heldCredentials } from '../../src/client/held-credentials.ts';

/** A provider whose answers the test gives, each valid for a minute from now on. */
function slowProvider() {
  let now = 0;
  const asked: (() => void)[] = [];
  const provider: Credentials = () => {
    const expiration = new Date(now + 60_000);
    return new Promise((resolve) => asked.push(() => resolve({ expiration })));
  };
  const held = heldCredentials(provider, () => now);
  const pass = (ms: number): void => {
    now += ms;
  };
  return { held, asked, pass };
}

describe('credentials that are valid for a minute, of a provider that is slow', () => {
  it('are used while they are valid, also during their renewal', async () => {
    const { held, asked, pass } = slowProvider();
    const first = held();
    expect(asked.length).toBe(1);
    asked.shift()?.();
    const used = await first;
    pass(54_000);
    const renewed = held({ forceRefresh: true });
    expect(await held()).toBe(used);
    asked.shift()?.();
    const next = await renewed;
    expect(await held()).toBe(next);
    expect(await held()).not.toBe(used);
    expect(asked).toEqual([]);
  });

  it('are waited for once they have expired, by all requests together', async () => {
    const { held, asked, pass } = slowProvider();
    const first = held();
    asked.shift()?.();
    const used = await first;
    pass(56_000);
    const waiting = [held(), held(), held({ forceRefresh: true })];
    expect(asked.length).toBe(1);
    asked.shift()?.();
    const [one, ...others] = await Promise.all(waiting);
    expect(one).not.toBe(used);
    expect(others).toEqual([one, one]);
  });
});
