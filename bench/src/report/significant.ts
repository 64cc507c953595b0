/** Four significant digits say more than these measurements know. */
export function significant(value: number): string {
  return Math.abs(value) >= 1000 ? String(Math.round(value)) : String(Number(value.toPrecision(4)));
}
