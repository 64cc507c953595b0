// A finding of `leadership doctor`, and the table in which it is printed.
import { printable } from '@leadership/core/internal';

/** The result of one check. `warn`: it works, but something should be changed. */
export interface Finding {
  readonly check: string;
  readonly result: 'ok' | 'warn' | 'fail';
  readonly message: string;
}

/** Formats findings as a table for people. */
export function findingsText(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .map(
      ({ check, result, message }) =>
        `${result.padEnd(4)}  ${check.padEnd(width)}  ${printable(message)}`,
    )
    .join('\n');
}
