import type { Term } from '../contract/term.ts';

/**
 * Returns whether work rejected only because a signal of its term aborted, as `fetch(url, { signal
 * })` does.
 */
export function isAbortRejection(error: unknown, { signal, fenced }: Term): boolean {
  const reasons = [signal, fenced]
    .filter(({ aborted }) => aborted)
    .map(({ reason }) => reason as unknown);
  if (reasons.length === 0) return false;
  return (
    reasons.includes(error) ||
    (error instanceof Error && (error.name === 'AbortError' || reasons.includes(error.cause)))
  );
}
