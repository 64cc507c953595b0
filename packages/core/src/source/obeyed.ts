import type { Term } from '../contract/term.ts';

/** Whether work threw for no other reason than that a signal of its term told it to stop: `fetch(url, { signal })` does so. */
export function obeyed(error: unknown, { signal, fenced }: Term): boolean {
  const reasons = [signal, fenced].filter(({ aborted }) => aborted).map(({ reason }) => reason as unknown);
  if (reasons.length === 0) return false;
  return reasons.includes(error) || (error instanceof Error && (error.name === 'AbortError' || reasons.includes(error.cause)));
}
