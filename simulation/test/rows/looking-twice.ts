import { rows } from '../../src/rows/protocol.ts';

/** Members that look twice at all partitions after each decision, and must want nothing more. */
export const lookingTwice: typeof rows = {
  ...rows,
  scenarios: rows.scenarios.map((scenario) => ({ ...scenario, looksTwice: true })),
};
