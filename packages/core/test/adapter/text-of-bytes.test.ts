import { describe, expect, it } from 'vitest';
import { bytesOfText, textOfBytes } from '../../src/adapter/text-of-bytes.ts';

describe('the text of bytes', () => {
  it('is what they encode, with a byte order mark and NUL', () => {
    const text = '\ufeffé🙂\0';
    expect(textOfBytes(new TextEncoder().encode(text))).toBe(text);
    expect(textOfBytes(bytesOfText(text))).toBe(text);
  });

  it.each([[[0xff, 0x00]], [[0xed, 0xa0, 0x80]], [[0x61, 0xc3]]])(
    'is one that no member writes if %j are not UTF-8, and leads back to them',
    (bytes) => {
      const text = textOfBytes(new Uint8Array(bytes));
      expect(text).toMatch(/^\p{Surrogate}/u);
      expect([...bytesOfText(text)]).toEqual(bytes);
    },
  );
});
