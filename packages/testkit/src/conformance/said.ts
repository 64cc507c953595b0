/** A value of any stream as text: equal texts are equal values. */
export function said(value: unknown): string {
  const text: string | undefined = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return part.toString();
    if (part instanceof Map) return [...part];
    return part;
  });
  return text ?? 'undefined';
}
