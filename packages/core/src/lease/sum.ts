// The sum of a text. It no longer fits after somebody has edited the row by hand, so members notice that.

const begin = ',"sum":"';

/** Returns the text of an object with its sum as the last field. */
export function withSum(text: string): string {
  return `${text.slice(0, -1)}${begin}${sumOf(text)}"}`;
}

/** Returns whether a text ends with its sum. */
export function hasSum(text: string): boolean {
  const at = text.lastIndexOf(begin);
  return at >= 0 && withSum(`${text.slice(0, at)}}`) === text;
}

/** FNV-1a in 32 bits, over the UTF-16 code units. */
function sumOf(text: string): string {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193);
  return (sum >>> 0).toString(16);
}
