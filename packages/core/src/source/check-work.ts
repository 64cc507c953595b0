// Checks arguments for programs without types. Invalid work would fail in every term, and the
// partition would be resigned for nothing.

import { nearest } from '../adapter/nearest.ts';
import { check, show } from '../contract/check-option.ts';
import type { LeadOptions } from '../contract/role.ts';

/** The options of `lead` and `leadEach`. */
const known: Readonly<Record<keyof LeadOptions, true>> = {
  signal: true,
  onThrow: true,
  overlap: true,
};
const unset = { signal: undefined, onThrow: undefined, overlap: undefined };

/**
 * Checks that `work` is a function; `name` is its name in the error.
 *
 * @throws LeadershipError `invalid-options`
 */
export function checkWork(work: unknown, name = 'work'): void {
  check(typeof work === 'function', `${name} ${show(work)} must be a function`);
}

/**
 * Checks `work` and the options of `lead`.
 *
 * @throws LeadershipError `invalid-options`
 */
export function checkLead(work: unknown, options: LeadOptions): void {
  checkWork(work);
  check(
    typeof options === 'object' && options !== null,
    `the options of lead ${show(options)} must be an object`,
  );
  for (const name of Object.keys(options)) {
    const meant = nearest(name, Object.keys(known));
    const hint =
      meant === undefined
        ? `known options are ${Object.keys(known).join(', ')}`
        : `did you mean ${meant}?`;
    check(Object.hasOwn(known, name), `lead has no option ${name}; ${hint}`);
  }
  const {
    signal,
    onThrow = 'retry',
    overlap = false,
  }: Readonly<Record<keyof LeadOptions, unknown>> = { ...unset, ...options };
  check(
    signal === undefined || signal instanceof AbortSignal,
    `signal ${show(signal)} must be an AbortSignal`,
  );
  check(
    onThrow === 'retry' || onThrow === 'reject',
    `onThrow ${show(onThrow)} must be "retry" or "reject"`,
  );
  check(typeof overlap === 'boolean', `overlap ${show(overlap)} must be true or false`);
}
