// The check of one option, for the options of every backend, and the form in which its error shows
// the value.
import { LeadershipError } from './leadership-error.ts';

/** Throws `invalid-options` with this sentence unless `holds`. */
export function check(holds: boolean, sentence: string): asserts holds {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}

/**
 * Returns a given value as errors show it: text in quotes. A URL that was given in place of another value
 * is shown without its password.
 */
export function show(value: unknown): string {
  if (typeof value === 'string') return `"${withoutPassword(value)}"`;
  try {
    return withoutPassword(String(value));
  } catch {
    // An object may have no text form, for example one without a prototype.
    return Object.prototype.toString.call(value);
  }
}

/** Hides what may be a password: what is between a colon and the last @. */
export function withoutPassword(text: string): string {
  return text.replace(/:.*@/s, ':***@');
}
