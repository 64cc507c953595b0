import { ByteReader, ByteWriter } from '@leadership/peer';
import { expect, test } from 'vitest';
import { readPublication, writePublication } from '../../src/transport/codec/publication-form.ts';

function written(write: (to: ByteWriter) => void): ByteReader {
  const writer = new ByteWriter();
  write(writer);
  return new ByteReader(Buffer.from(writer.bytes()));
}

test.each([
  {},
  { trouble: 'unreachable' },
  { roles: ['mail', 'größe'] },
  { trouble: 'work-failed', roles: Array.from({ length: 32 }, (_, index) => `role-${index}`) },
])('a publication reads as it was written: %j', (publication) => {
  const read = readPublication(written((to) => writePublication(to, publication)));
  expect(read).toEqual(publication);
});

test('more roles than a member publishes, longer names and other bytes are refused', () => {
  const many = Array.from({ length: 33 }, () => 'r');
  expect(readPublication(written((to) => writePublication(to, { roles: many })))).toBe(undefined);
  const long = { roles: Array.from({ length: 3 }, () => 'r'.repeat(400)) };
  expect(readPublication(written((to) => writePublication(to, long)))).toBe(undefined);
  expect(readPublication(new ByteReader(Buffer.from([1])))).toBe(undefined);
  const trailing = written((to) => {
    writePublication(to, {});
    to.byte(0);
  });
  expect(readPublication(trailing)).toBe(undefined);
});
