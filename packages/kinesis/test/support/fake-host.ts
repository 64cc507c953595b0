import { randomUUID } from 'node:crypto';
import { type Host, monotonicClock } from '@leadership/core/backend';

/** A host that notes what it is told. */
export interface FakeHost extends Host {
  /** What is amiss now. */
  readonly troubles: Set<string>;
  /** What weakens it now. */
  readonly warnings: Set<string>;
  /** Everything that ever was. */
  readonly told: string[];
}

export function fakeHost(member: string): FakeHost {
  const troubles = new Set<string>();
  const warnings = new Set<string>();
  const told: string[] = [];
  const telling =
    (level: string, now: Set<string>) =>
    (code: string, message: string): Disposable => {
      now.add(message);
      told.push(`${level} ${code}: ${message}`);
      return { [Symbol.dispose]: () => now.delete(message) };
    };
  const identity = { member, incarnation: randomUUID(), clock: monotonicClock, random: Math.random };
  return {
    ...identity,
    trouble: telling('trouble', troubles),
    warning: telling('warning', warnings),
    confirmed: () => undefined,
    ...{ troubles, warnings, told },
    signal: new AbortController().signal,
  } as unknown as FakeHost;
}
