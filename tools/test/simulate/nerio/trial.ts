/** What mutants are tried with, and the protocol itself: the same seed, and as long. */
export const trial = { seed: 1, ms: 3 * 3_600_000 } as const;
