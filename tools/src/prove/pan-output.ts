// Reads the result of a search from the output of `pan`, the program that Spin generates from a
// model, for `npm run prove`.

/** What one search found. */
export interface SearchResult {
  /** Distinct states that the search stored. */
  readonly states: number;
  /** Whether every reachable state was visited. A search ends at its first violation. */
  readonly exhausted: boolean;
  /** The assertion that failed, and after how many of Spin's steps; `null` if none did. */
  readonly violation: string | null;
}

/** The messages with which a verifier reports that it left states out. */
const incomplete = [
  'Search not completed',
  'max search depth too small',
  'out of memory',
  'reached -DMEMLIM bound',
];

/**
 * Reads the output of a verifier that Spin generated. Output that ends before the statistics, as
 * after a time-out, is a search that visited an unknown number of states.
 */
export function readPanOutput(output: string): SearchResult {
  const states = /^\s*([\d.e+]+) states, stored/m.exec(output)?.[1];
  const violation = /^pan:\d+: (.+)$/m.exec(output)?.[1];
  return {
    states: states === undefined ? 0 : Number(states),
    exhausted:
      states !== undefined &&
      violation === undefined &&
      !incomplete.some((message) => output.includes(message)),
    violation: violation?.replaceAll(/\s+/g, ' ') ?? null,
  };
}
