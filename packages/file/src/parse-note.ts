/** The fields of a small JSON file that a member left; `undefined` where the text is none. */
export function parseNote(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
