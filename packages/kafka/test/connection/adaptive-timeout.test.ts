import { describe, expect, it } from 'vitest';
import { adaptiveTimeout } from '../../src/connection/adaptive-timeout.ts';

describe('patience', () => {
  it('doubles after each missing answer, up to ten times the first limit', () => {
    const { limitMs, timedOut } = adaptiveTimeout(100);
    const limits = Array.from({ length: 6 }, () => {
      timedOut();
      return limitMs();
    });
    expect(limits).toEqual([200, 400, 800, 1000, 1000, 1000]);
  });

  it('shrinks after early answers, and stays while they are late', () => {
    const { limitMs, answered, timedOut } = adaptiveTimeout(100);
    timedOut();
    timedOut();
    answered(300);
    expect(limitMs()).toBe(400);
    answered(150);
    expect(limitMs()).toBe(200);
    answered(10);
    answered(10);
    expect(limitMs()).toBe(100);
  });
});
