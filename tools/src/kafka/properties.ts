/** Settings of a broker, by their names. */
export type Properties = Readonly<Record<string, string | number | boolean>>;

/** As Java reads a file of properties. */
export function formatProperties(properties: Properties): string {
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${String(value).replaceAll('\\', '\\\\')}\n`)
    .join('');
}
