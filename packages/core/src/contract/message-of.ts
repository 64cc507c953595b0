/**
 * Returns the message of a thrown value. Never throws, although work may throw values that cannot
 * be converted to text.
 */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return `a value (${typeof thrown}) that has no text form`;
  }
}
