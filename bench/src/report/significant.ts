/**
 * Formats a number with four significant digits, which is more than the precision of these
 * measurements.
 */
export function significant(value: number): string {
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(4)));
}
