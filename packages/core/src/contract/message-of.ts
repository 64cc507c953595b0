/** What was thrown, in words. Work may throw anything, also what cannot be made a text, and saying so must not fail. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return `a value (${typeof thrown}) that has no text form`;
  }
}
