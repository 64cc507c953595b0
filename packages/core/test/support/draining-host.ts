import type { Host } from '../../src/contract/backend.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';

/** A host on which a drain lasts until the test ends it, even if its term is over by then. */
export interface DrainingHost extends Host {
  readonly clock: ManualClock;
  /** Ends the drains, oldest first. */
  readonly drains: readonly ((end: 'drained' | 'fenced') => void)[];
  /** The beginnings and ends of terms, in order. */
  readonly reported: readonly ('granted' | 'lost' | 'released')[];
}

export function drainingHost(): DrainingHost {
  const drains: ((end: 'drained' | 'fenced') => void)[] = [];
  const reported: ('granted' | 'lost' | 'released')[] = [];
  const nothing = (): void => undefined;
  const report = { [Symbol.dispose]: nothing };
  let latest: bigint | undefined;
  return {
    member: 'a',
    incarnation: 'a',
    clock: manualClock(),
    random: () => 0.5,
    signal: new AbortController().signal,
    drains,
    reported,
    leads: nothing,
    trouble: () => report,
    warning: () => report,
    ignored: nothing,
    measured: nothing,
    expectsLeaders: nothing,
    capacity: nothing,
    members: nothing,
    confirmed: nothing,
    ready: nothing,
    refused: nothing,
    granted({ token }) {
      if (token === latest) return 'prolonged';
      latest = token;
      reported.push('granted');
      return 'began';
    },
    prolonged: () => 'prolonged',
    lost: () => void reported.push('lost'),
    released: () => void reported.push('released'),
    drain: () => new Promise((resolve) => void drains.push(resolve)),
  };
}
