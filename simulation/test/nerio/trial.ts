/**
 * The run for the protocol itself: a fixed seed against regressions. `rotating.long.test.ts` rotates
 * its seeds.
 */
export const trial = { seed: 1, ms: 1_800_000 } as const;

/** Scenarios in which a mutant has survived for longer. Their runs are twice as long. */
export const slowToReport: ReadonlySet<string> = new Set([
  'amnesiac',
  'diskless',
  'lone-slow-disk',
  'lone-voter',
  'rainy',
  'reborn',
  'redeployed',
  'stormy',
  'torn',
  'torn-disks',
  'torn-epochs',
  'verified',
]);
