// The check of one option, for the options of every backend, and the form in which its error shows
// the value.
import { LeadershipError } from './leadership-error.ts';

/** Throws `invalid-options` with this sentence unless `holds`. */
export function check(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}

/** Returns a given value as errors show it: text in quotes. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `"${value}"`;
  try {
    return String(value);
  } catch {
    // An object may have no text form, for example one without a prototype.
    return Object.prototype.toString.call(value);
  }
}
