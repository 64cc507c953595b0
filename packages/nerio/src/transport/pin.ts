import type { Pin } from './transport.ts';

/** In what two pins differ, in words (R3); `undefined` where they agree. */
export function differenceOf(own: Pin, other: Pin): string | undefined {
  const names = [...new Set([...Object.keys(own), ...Object.keys(other)])];
  const differing = names.filter((name) => own[name] !== other[name]);
  if (differing.length === 0) return undefined;
  return differing.map((name) => `${name} is ${own[name]} here and ${other[name]} there`).join(', ');
}
