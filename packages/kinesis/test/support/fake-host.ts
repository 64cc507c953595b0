import { randomUUID } from 'node:crypto';
import { type Host, monotonicClock } from '@leadership/core/backend';

/** A host that notes what it is told. */
export interface FakeHost extends Host {
  /** What is amiss now. */
  readonly troubles: Set<string>;
  /** Everything that ever was. */
  readonly told: string[];
}

export function fakeHost(member: string): FakeHost {
  const troubles = new Set<string>();
  const told: string[] = [];
  const trouble = (code: string, message: string): Disposable => {
    troubles.add(message);
    told.push(`${code}: ${message}`);
    return { [Symbol.dispose]: () => troubles.delete(message) };
  };
  const identity = { member, incarnation: randomUUID(), clock: monotonicClock, random: Math.random };
  return {
    ...identity,
    trouble,
    warning: trouble,
    confirmed: () => undefined,
    troubles,
    told,
    signal: new AbortController().signal,
  } as unknown as FakeHost;
}
