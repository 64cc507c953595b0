// The shell gets this machine in place of its own, in tests that run its sources (vitest.config.ts).
import { checkedStep } from '../../src/relation/session/checked-step.ts';
import { refuted } from './refuted.ts';

export const step: ReturnType<typeof checkedStep> = checkedStep((_checked, guards) =>
  refuted.push(...guards),
);
