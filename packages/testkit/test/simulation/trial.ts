/** What the protocol itself is tried with: a seed for regressions; others rotate in `tools/test/simulate/rotating.test.ts`. */
export const trial = { seed: 1, ms: 7_200_000 } as const;

/** What mutants are hunted with: each has to be caught from every one of these seeds. */
export const mutantTrial = { seeds: [1, 2, 3], ms: 20 * 3_600_000 } as const;

/** How long a mutant lived, from each seed. */
export function killTimes(name: string, outcomes: readonly { readonly simulatedMs: number }[]): string {
  return `${name} ${outcomes.map(({ simulatedMs }) => Math.round(simulatedMs / 60_000)).join(', ')}`;
}
