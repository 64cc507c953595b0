/**
 * The run for the protocol itself: a fixed seed against regressions.
 * `simulation/test/cli/rotating.test.ts` rotates its seeds.
 */
export const trial = { seed: 1, ms: 7_200_000 } as const;

/** The hunt for mutants: each mutant must be caught from every one of these seeds. */
export const mutantTrial = { seeds: [1, 2, 3], ms: 20 * 3_600_000 } as const;

/** Returns the simulated minutes until a mutant was caught, per seed. */
export function killTimes(
  name: string,
  outcomes: readonly { readonly simulatedMs: number }[],
): string {
  return `${name} ${outcomes.map(({ simulatedMs }) => Math.round(simulatedMs / 60_000)).join(', ')}`;
}
