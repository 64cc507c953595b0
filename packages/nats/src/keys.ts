// The keys of a group in its bucket: the group and the row, each as one token of a subject.

/** All characters that a token does not contain as they are, but as the hexadecimal digits of their bytes. */
const special = /[^-\w/]/gu;
const emptyToken = '=';

/** Returns a text as one token of a key, which no other text has. */
export function tokenOf(text: string): string {
  return text === '' ? emptyToken : text.replaceAll(special, digitsOf);
}

/** Returns the text of a token; `undefined` if {@link tokenOf} returns the token for none. */
export function textOfToken(token: string): string | undefined {
  if (token === emptyToken) return '';
  try {
    const text = decodeURIComponent(token.replaceAll('=', '%'));
    return tokenOf(text) === token ? text : undefined;
  } catch {
    return undefined;
  }
}

function digitsOf(character: string): string {
  return Buffer.from(character).toString('hex').toUpperCase().replaceAll(/../g, '=$&');
}
