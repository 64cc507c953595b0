// Makes names and metadata of other members safe to print in a terminal or a log.

/**
 * Control and format characters, line separators and lone surrogates. A backslash counts if it
 * would make ordinary text look like an escaped character.
 */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]|\\(?=u\{)/gu;

/**
 * Escapes the characters that rewrite a terminal or change the direction of text: `\u{1b}`. Names
 * and metadata come from other members, so they are untrusted.
 */
export function printable(text: string): string {
  return text.replace(unprintable, (character) => `\\u{${hex(character)}}`);
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16);
}
