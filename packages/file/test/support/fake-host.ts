import { randomUUID } from 'node:crypto';
import { type Host, monotonicClock } from '@leadership/core/backend';

/** A host that notes what it is told. */
export interface FakeHost extends Host {
  /** Troubles and warnings. */
  readonly troubles: Set<string>;
}

export function fakeHost(member: string): FakeHost {
  const troubles = new Set<string>();
  const raise = (_code: string, message: string): Disposable => {
    troubles.add(message);
    return { [Symbol.dispose]: () => troubles.delete(message) };
  };
  const told = { trouble: raise, warning: raise, confirmed: () => undefined };
  const identity = { member, incarnation: randomUUID(), clock: monotonicClock, random: Math.random };
  return { ...identity, ...told, troubles, signal: new AbortController().signal } as unknown as FakeHost;
}
