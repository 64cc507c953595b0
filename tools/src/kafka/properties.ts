// Formats the settings of a broker.

/** Broker settings by name. */
export type Properties = Readonly<Record<string, string | number | boolean>>;

/** Formats settings as a Java properties file. */
export function formatProperties(properties: Properties): string {
  return Object.entries(properties)
    .map(([key, value]) => `${key}=${escaped(String(value))}\n`)
    .join('');
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
