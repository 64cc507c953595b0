// The host of a store in the tests of an adapter, in place of a source.
import { randomUUID } from 'node:crypto';
import { type Host, monotonicClock } from '@leadership/core/adapter';

/**
 * A host that records the troubles and warnings of a store. It never leads: every term ends
 * immediately.
 */
export interface RecordingHost extends Host {
  /** The messages of the current troubles. */
  readonly troubles: ReadonlySet<string>;
  /** The current warnings. */
  readonly warnings: ReadonlySet<string>;
  /** All troubles and warnings so far, as `trouble CODE: MESSAGE` and `warning CODE: MESSAGE`. */
  readonly calls: readonly string[];
}

/** Creates the host of a member with the real clock. */
export function recordingHost(member: string): RecordingHost {
  const [troubles, warnings] = [new Set<string>(), new Set<string>()];
  const reported: string[] = [];
  const noting =
    (kind: string, now: Set<string>): Host['trouble'] =>
    (code, message) => {
      now.add(message);
      reported.push(`${kind} ${code}: ${message}`);
      return { [Symbol.dispose]: () => void now.delete(message) };
    };
  const { signal } = new AbortController();
  const nothing = (): void => undefined;
  return {
    member,
    incarnation: randomUUID(),
    clock: monotonicClock,
    random: Math.random,
    signal,
    troubles,
    warnings,
    calls: reported,
    trouble: noting('trouble', troubles),
    warning: noting('warning', warnings),
    lost: nothing,
    released: nothing,
    leads: nothing,
    members: nothing,
    ignored: nothing,
    measured: nothing,
    confirmed: nothing,
    ready: nothing,
    refused: nothing,
    expectsLeaders: nothing,
    capacity: nothing,
    granted: () => 'over',
    prolonged: () => 'over',
    drain: () => Promise.resolve('fenced'),
  };
}
