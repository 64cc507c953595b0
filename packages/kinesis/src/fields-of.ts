/** The fields of an object in a text; `undefined` where there is none. */
export function fieldsOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null ? (data as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
