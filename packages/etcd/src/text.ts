// The texts of rows as bytes in Base64, which the JSON gateway expects.
import { bytesOfText, textOfBytes } from '@leadership/core/adapter';

/** Returns the bytes of a text in Base64. */
export function bytesOf(text: string): string {
  return bytesOfText(text).toString('base64');
}

/** Returns the text of bytes in Base64. */
export function textOf(base64: string): string {
  return textOfBytes(Buffer.from(base64, 'base64'));
}
