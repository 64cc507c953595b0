import { describe, expect, it } from 'vitest';
import { formatNotification, parseNotification } from '../../src/rows/notification.ts';
import type { RowChange } from '../../src/rows/rows.ts';

const change: RowChange = {
  name: 'partition#0',
  expected: 'x',
  text: '{"é":"🙂"}',
  isAwaited: true,
};

describe('a notification', () => {
  it('carries its sender and the changed row', () => {
    expect(parseNotification(formatNotification('life', [change]))).toEqual({
      from: 'life',
      isAwaited: true,
      shown: [[change.name, change.text]],
    });
  });

  it.each([
    ['the note of a member', { name: 'member#life', isAwaited: false }],
    ['a removed row', { text: null }],
    ['a long row', { text: 'é'.repeat(2600) }],
  ])('does not carry %s', (_what, changes) => {
    expect(
      parseNotification(formatNotification('life', [{ ...change, ...changes }])),
    ).toMatchObject({ from: 'life', shown: [] });
  });

  it('takes at most the 7999 bytes of Postgres', () => {
    for (const letter of ['a', 'é', '€', '🙂', '"', '\u0001'])
      for (let length = 1; length < 3000; length += 7) {
        const text = formatNotification('life', [{ ...change, text: letter.repeat(length) }]);
        expect(Buffer.byteLength(text)).toBeLessThan(8000);
      }
  });

  it.each(['', 'life', '{}', '[', '[1,2,3]', 'null'])(
    'of another kind says that rows may have changed: %j',
    (text) => {
      expect(parseNotification(text)).toEqual({ from: undefined, isAwaited: true, shown: [] });
    },
  );
});
