import { afterEach, describe, expect, test, vi } from 'vitest';
import { isOffered } from '../../src/backends/is-offered.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a backend that tests need', () => {
  test('is offered without a message if nothing is missing', () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(isOffered('kafka', undefined, 'kafka')).toBe(true);
    expect(written).not.toHaveBeenCalled();
  });

  test('is skipped with one line that states what is missing', () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(isOffered('kafka', 'Java is missing', 'file,memory')).toBe(false);
    expect(written.mock.calls).toEqual([
      [
        'leadership: kafka cannot be started here: Java is missing; everything that needs it is skipped\n',
      ],
    ]);
  });

  test.each(['kafka', 'file, kafka', 'kafka,kinesis'])(
    'is an error if it is missing and REQUIRE_BACKENDS is "%s"',
    (required) => {
      expect(() => isOffered('kafka', 'Java is missing', required)).toThrow(
        'kafka cannot be started here: Java is missing (REQUIRE_BACKENDS=',
      );
    },
  );
});
