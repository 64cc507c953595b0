import { expect, it } from 'vitest';
import { numericOption, optionsIn, withQuery } from '../src/open-source.ts';

it('--option adds to the query of the URL, encoded', () => {
  expect(withQuery('file:d', ['group=a b'])).toBe('file:d?group=a%20b');
  expect(withQuery('file:d?group=g', ['member=a&b=c'])).toBe('file:d?group=g&member=a%26b%3Dc');
  expect(withQuery('file:d?group=g', [])).toBe('file:d?group=g');
});

it('a numeric option is found in the URL and among the options', () => {
  expect(numericOption('file:d?thresholdMs=500', [], 'thresholdMs')).toBe(500);
  expect(numericOption('file:d', ['thresholdMs=700'], 'thresholdMs')).toBe(700);
  expect(numericOption('file:d', [], 'thresholdMs')).toBeUndefined();
});

it('options in the environment are an object, and an error does not print them', () => {
  expect(optionsIn({})).toEqual({});
  expect(optionsIn({ LEADERSHIP_OPTIONS: '{"member":"a"}' })).toEqual({ member: 'a' });
  for (const text of ['{"password":"secret"', '["secret"]', '"secret"', 'null']) {
    let message = '';
    try {
      optionsIn({ LEADERSHIP_OPTIONS: text });
    } catch (error) {
      message = String(error);
    }
    expect(message).toContain('must be a JSON object');
    expect(message).not.toContain('secret');
  }
});
