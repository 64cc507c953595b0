// The texts of rows as bytes in Base64, which the JSON gateway expects. Other programs may write
// bytes that are not UTF-8. They are shown as a text of their own, because a row can be replaced only
// if its text leads back to the same bytes.

/** Half of a surrogate pair, which no UTF-8 contains. */
const mark = '\ud800';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the bytes of a text in Base64. */
export function bytesOf(text: string): string {
  if (text.startsWith(mark)) return text.slice(mark.length);
  return Buffer.from(text).toString('base64');
}

/** Returns the text of bytes in Base64. */
export function textOf(base64: string): string {
  try {
    return utf8.decode(Buffer.from(base64, 'base64'));
  } catch {
    return mark + base64;
  }
}
