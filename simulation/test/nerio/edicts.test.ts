import { describe } from 'vitest';
import { edictsHaveAnOrder } from './edicts.ts';

describe.each(['drift', 'skew'] as const)('six minutes where clocks are held to %s', (clocks) =>
  edictsHaveAnOrder(clocks, 360_000, { changesMin: 100, epochsMin: 2 }),
);
