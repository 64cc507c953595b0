// The texts of rows as bytes. Other programs may write bytes that are not UTF-8. They are shown as a text of
// their own, because a row can be replaced only if its text leads back to the same bytes.

/** Half of a surrogate pair, which no UTF-8 contains. */
const mark = '\ud800';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the bytes of a text that a member writes, or that {@link textOfBytes} has returned. */
export function bytesOfText(text: string): Buffer {
  if (text.startsWith(mark)) return Buffer.from(text.slice(mark.length), 'base64');
  return Buffer.from(text);
}

/** Returns the text of bytes; one that no member writes if they are not UTF-8. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return mark + Buffer.from(bytes).toString('base64');
  }
}
