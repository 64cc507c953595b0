import { describe } from 'vitest';
import { edictsHaveAnOrder } from './edicts.ts';

describe.each(['drift', 'skew'] as const)('an hour where clocks are held to %s', (clocks) =>
  edictsHaveAnOrder(clocks, 3_600_000, { changesMin: 1000, epochsMin: 3 }),
);
