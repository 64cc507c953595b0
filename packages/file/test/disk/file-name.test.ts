import { expect, it } from 'vitest';
import { fileNameOf } from '../../src/disk/file-name.ts';

const hostile = [
  '.',
  '..',
  '../../etc',
  'a/b',
  'a\\b',
  'a:b',
  '\0',
  '%2e',
  'A',
  'a',
  '\u00fc',
  'u\u0308',
  ' ',
  '~',
  '日'.repeat(200),
  'x'.repeat(5000),
];

it('maps different names to different file names that are plain and short', () => {
  const names = hostile.map(fileNameOf);
  for (const name of names) expect(name).toMatch(/^[a-z0-9_%~-]{1,120}$/);
  expect(new Set(names).size).toBe(hostile.length);
});

it('leaves ordinary names readable', () => {
  expect(fileNameOf('invoice-run_2')).toBe('invoice-run_2');
  expect(fileNameOf('Billing')).toBe('%42illing');
});
