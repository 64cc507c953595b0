/**
 * The run for the protocol itself: a fixed seed against regressions.
 * `simulation/test/cli/rotating.test.ts` rotates its seeds.
 */
export const trial = { seed: 1, ms: 7_200_000 } as const;
