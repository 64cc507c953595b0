import { describe, expect, it } from 'vitest';
import { formatNotification, isNotification, notifierIn } from '../../src/stream/notification.ts';

describe('a wake-up notification', () => {
  it('identifies its sender to members of its group', () => {
    const text = formatNotification('billing ✓', 'life 1');
    expect(notifierIn(text, 'billing ✓')).toBe('life 1');
    expect(notifierIn(text, 'other')).toBeUndefined();
    expect(isNotification(text)).toBe(true);
  });

  it.each([
    '',
    'null',
    '7',
    '{"kind":"wake-up"',
    '{"kind":"wake-up","group":"g","incarnation":1}',
    '{"kind":"beat","group":"g","incarnation":"x"}',
  ])('is not any of these texts: %s', (text) => {
    expect(notifierIn(text, 'g')).toBeUndefined();
  });
});
