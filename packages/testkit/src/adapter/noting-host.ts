import { randomUUID } from 'node:crypto';
import { type Host, monotonicClock } from '@leadership/core/backend';

/** A host that notes what it is told of a store. Nobody leads on it: every term is over before it begins. */
export interface NotingHost extends Host {
  /** What is amiss now, in its own words. */
  readonly troubles: ReadonlySet<string>;
  /** What weakens it now. */
  readonly warnings: ReadonlySet<string>;
  /** Everything that ever was, as `trouble CODE: WORDS` and `warning CODE: WORDS`. */
  readonly told: readonly string[];
}

/** The host of that member, on the real clock. */
export function notingHost(member: string): NotingHost {
  const [troubles, warnings] = [new Set<string>(), new Set<string>()];
  const told: string[] = [];
  const noting =
    (kind: string, now: Set<string>): Host['trouble'] =>
    (code, message) => {
      now.add(message);
      told.push(`${kind} ${code}: ${message}`);
      return { [Symbol.dispose]: () => void now.delete(message) };
    };
  const { signal } = new AbortController();
  const nothing = (): void => undefined;
  return {
    ...{ member, incarnation: randomUUID(), clock: monotonicClock, random: Math.random, signal },
    ...{ troubles, warnings, told, trouble: noting('trouble', troubles), warning: noting('warning', warnings) },
    ...{ lost: nothing, released: nothing, leads: nothing, ignored: nothing, measured: nothing },
    ...{ confirmed: nothing, ready: nothing, refused: nothing },
    granted: () => 'over',
    drain: () => Promise.resolve('fenced'),
  };
}
