/** What the protocol and its mutants are tried with: the same seed. A mutant is let live for longer, if that is what it takes to see it. */
export const trial = { seed: 1, ms: 3_600_000, mutantMs: 60 * 3_600_000 } as const;
