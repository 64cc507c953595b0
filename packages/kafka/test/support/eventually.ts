/** A deadline for brokers that are looked for, and for a starved machine. Milliseconds. */
const deadlineMs = 60_000;

/** Resolves with the first answer that is neither `undefined` nor `false`; rejects with `what` where none comes. */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  tellMore: () => string = () => '',
): Promise<T> {
  for (const until = performance.now() + deadlineMs; performance.now() < until; ) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`waited ${deadlineMs} ms in vain: ${what}${tellMore()}`);
}

export function pauseMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
