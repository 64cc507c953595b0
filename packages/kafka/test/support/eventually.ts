import * as testkit from '@leadership/testkit/adapter';

/** For brokers that are looked for, and for a starved machine. Milliseconds. */
const withinMs = 60_000;

/** As the testkit's, with more patience. */
export const eventually = <T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  tellMore = () => '',
): Promise<T> => testkit.eventually(what, ask, { withinMs, tellMore });

export function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
