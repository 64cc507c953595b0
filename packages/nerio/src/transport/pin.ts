import type { Pin } from './transport.ts';

/** In what two pins differ, in words (R3); `undefined` where they agree on whatever both name. One that joins knows less. */
export function differenceOf(own: Pin, other: Pin): string | undefined {
  const differing = Object.keys(own).filter((name) => Object.hasOwn(other, name) && own[name] !== other[name]);
  if (differing.length === 0) return undefined;
  return differing.map((name) => `${name} is ${own[name]} here and ${other[name]} there`).join(', ');
}
