// Compares the settings of two members that connect.
import type { Pin } from './transport.ts';

/**
 * Describes the difference of two pins (R3). `undefined` if they agree on every value that both
 * have: a joining member knows fewer values.
 */
export function differenceOf(own: Pin, other: Pin): string | undefined {
  const differing = Object.keys(own).filter(
    (name) => Object.hasOwn(other, name) && own[name] !== other[name],
  );
  if (differing.length === 0) return undefined;
  return differing
    .map((name) => `${name} is ${own[name]} here and ${other[name]} there`)
    .join(', ');
}
