/** What the protocol itself is tried with: a seed for regressions; others rotate in `rotating.test.ts`. */
export const trial = { seed: 1, ms: 1_800_000 } as const;

/** Scenarios in which a mutant has lived for longer than that: they are simulated for twice as long. */
export const slowToTell: ReadonlySet<string> = new Set([
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
