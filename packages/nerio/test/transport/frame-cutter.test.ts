import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameCutter } from '../../src/transport/frames/frame-cutter.ts';

function framed(content: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

test('frames are the same whatever pieces they arrive in', () => {
  const contents = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
  const cuts = fc.array(fc.nat(200), { maxLength: 12 });
  fc.assert(
    fc.property(contents, cuts, (frames, at) => {
      const bytes = Buffer.concat(frames.map(framed));
      const ends = [...at.map((end) => Math.min(end, bytes.length)), bytes.length].sort(
        (a, b) => a - b,
      );
      const cutter = new FrameCutter(40);
      const found: number[][] = [];
      let begin = 0;
      for (const end of ends) {
        cutter.put(bytes.subarray(begin, end));
        begin = end;
        for (
          let frame = cutter.next();
          frame !== undefined && frame !== 'oversized';
          frame = cutter.next()
        )
          found.push([...frame]);
      }
      expect(found).toEqual(frames.map((frame) => [...frame]));
    }),
    { numRuns: 1000 },
  );
});

test('a frame that is too long is detected by its length, before memory is allocated for it', () => {
  const cutter = new FrameCutter(40);
  cutter.put(framed(new Uint8Array(40)).subarray(0, 4));
  expect(cutter.next()).toBeUndefined();
  const other = new FrameCutter(40);
  other.put(Buffer.from([0, 0, 0, 41]));
  expect(other.next()).toBe('oversized');
});
