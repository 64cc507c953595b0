// For programs without types: what cannot be run would fail in every term, and the partition be given up for no one.
import { LeadershipError } from '../contract/leadership-error.ts';
import type { LeadOptions } from '../contract/role.ts';
import { nearest } from './nearest.ts';

/** Every option of `lead` and `leadEach`. */
const known: Readonly<Record<keyof LeadOptions, true>> = { signal: true, onThrow: true, overlap: true };
const unset = { signal: undefined, onThrow: undefined, overlap: undefined };

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
export function checkLead(work: unknown, options: LeadOptions): void {
  checkWork(work);
  check(typeof options === 'object' && options !== null, `the options of lead ${show(options)} must be an object`);
  for (const name of Object.keys(options)) {
    const meant = nearest(name, Object.keys(known));
    const hint = meant === undefined ? `there are ${Object.keys(known).join(', ')}` : `did you mean ${meant}?`;
    check(Object.hasOwn(known, name), `lead has no option ${name}; ${hint}`);
  }
  const { signal, onThrow = 'retry', overlap = false }: Readonly<Record<keyof LeadOptions, unknown>> = { ...unset, ...options };
  check(signal === undefined || signal instanceof AbortSignal, `signal ${show(signal)} must be an AbortSignal`);
  check(onThrow === 'retry' || onThrow === 'reject', `onThrow ${show(onThrow)} must be "retry" or "reject"`);
  check(typeof overlap === 'boolean', `overlap ${show(overlap)} must be true or false`);
}

function show(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}

function check(holds: boolean, sentence: string): void {
  if (!holds) throw new LeadershipError('invalid-options', sentence);
}
