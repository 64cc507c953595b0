/** For a starved machine. Milliseconds. */
const deadlineMs = 30_000;

/** Resolves once it holds; rejects with what was waited for, and what is known, where it does not. */
export async function eventually(what: string, holds: () => boolean, tellMore: () => string = () => ''): Promise<void> {
  for (const until = performance.now() + deadlineMs; performance.now() < until; await pauseMs(3)) if (holds()) return;
  throw new Error(`waited ${deadlineMs} ms in vain: ${what}\n${tellMore()}`);
}

function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
