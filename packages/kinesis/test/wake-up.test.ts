import { describe, expect, it } from 'vitest';
import { isWakeUp, wakerIn, wakeUpOf } from '../src/wake-up.ts';

describe('a wake-up notification', () => {
  it('identifies its sender to members of its group', () => {
    const text = wakeUpOf('billing ✓', 'life 1');
    expect(wakerIn(text, 'billing ✓')).toBe('life 1');
    expect(wakerIn(text, 'other')).toBeUndefined();
    expect(isWakeUp(text)).toBe(true);
  });

  it.each([
    '',
    'null',
    '7',
    '{"kind":"wake-up"',
    '{"kind":"wake-up","group":"g","incarnation":1}',
    '{"kind":"beat","group":"g","incarnation":"x"}',
  ])('is not any of these texts: %s', (text) => {
    expect(wakerIn(text, 'g')).toBeUndefined();
  });
});
