import type { Publication } from '@leadership/core/adapter';
import { ByteReader, ByteWriter, readWhole } from '@leadership/peer';
import { expect, test } from 'vitest';
import { publicationForm } from '../../src/transport/codec/publication-form.ts';

function written(publication: Publication, ...more: readonly number[]): ByteReader {
  const writer = new ByteWriter();
  publicationForm.write(writer, publication, undefined);
  writer.raw(Buffer.from(more));
  return new ByteReader(writer.bytes());
}

function readPublication(from: ByteReader): Publication | undefined {
  return readWhole(publicationForm, from);
}

test.each([
  {},
  { trouble: 'unreachable' },
  { roles: ['mail', 'größe'] },
  { trouble: 'work-failed', roles: Array.from({ length: 32 }, (_, index) => `role-${index}`) },
])('a publication reads as it was written: %j', (publication) => {
  const read = readPublication(written(publication));
  expect(read).toEqual(publication);
});

test('more roles than a member publishes, longer names and other bytes are refused', () => {
  const many = Array.from({ length: 33 }, () => 'r');
  expect(readPublication(written({ roles: many }))).toBe(undefined);
  const long = { roles: Array.from({ length: 3 }, () => 'r'.repeat(400)) };
  expect(readPublication(written(long))).toBe(undefined);
  expect(readPublication(new ByteReader(Buffer.from([1])))).toBe(undefined);
  expect(readPublication(written({}, 0))).toBe(undefined);
});
