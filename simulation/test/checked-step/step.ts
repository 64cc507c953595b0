// Members get this machine in place of their own, in tests that run its sources (vitest.config.ts).
import { checkedStep } from '../../src/relation/checked-step.ts';
import { refuted } from './refuted.ts';

export const step: ReturnType<typeof checkedStep> = checkedStep((_checked, guards) =>
  refuted.push(...guards),
);
