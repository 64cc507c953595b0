// For programs without types: what cannot be run would fail in every term, and the partition be given up for no one.
import { LeadershipError } from '../contract/leadership-error.ts';

/**
 * Insists that `work`, called so by whoever passed it, can be called.
 * @throws LeadershipError `invalid-options`
 */
export function checkWork(work: unknown, name = 'work'): void {
  check(typeof work === 'function', `${name} ${show(work)} must be a function`);
}

/**
 * The same, and how it is to be run.
 * @throws LeadershipError `invalid-options`
 */
export function checkLead(work: unknown, signal: unknown, onThrow: unknown): void {
  checkWork(work);
  check(signal === undefined || signal instanceof AbortSignal, `signal ${show(signal)} must be an AbortSignal`);
  check(onThrow === 'retry' || onThrow === 'reject', `onThrow ${show(onThrow)} must be "retry" or "reject"`);
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}

function check(holds: boolean, sentence: string): void {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}
