/** The deadline, for a starved machine. Milliseconds. */
const deadlineMs = 30_000;

/**
 * Resolves once `holds` returns `true`; rejects after the deadline with `what` and the result of
 * `tellMore`.
 */
export async function eventually(
  what: string,
  holds: () => boolean,
  tellMore: () => string = () => '',
): Promise<void> {
  for (const until = performance.now() + deadlineMs; performance.now() < until; await pauseMs(3))
    if (holds()) return;
  throw new Error(`waited ${deadlineMs} ms without success: ${what}\n${tellMore()}`);
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
