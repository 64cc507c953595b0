import * as testkit from '@leadership/testkit/adapter';

/**
 * The time limit, in milliseconds: it allows for the search for brokers, and for a starved machine.
 */
const withinMs = 60_000;

/** The testkit's `eventually` with a longer limit. */
export const eventually = <T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  tellMore = () => '',
): Promise<T> => testkit.eventually(what, ask, { withinMs, details: tellMore });

export function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
