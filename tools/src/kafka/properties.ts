// Formats the settings of a broker.

/** Broker settings by name. */
export type Properties = Readonly<Record<string, string | number | boolean>>;

/** Formats settings as a Java properties file. */
export function formatProperties(properties: Properties): string {
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${String(value).replaceAll('\\', '\\\\')}\n`)
    .join('');
}
