/** A deadline for a starved machine, not for the code: whatever is waited for takes milliseconds. */
const deadlineMs = 20_000;

/** Resolves with the first answer that is neither `undefined` nor `false`; rejects with `what` where none comes. */
export async function eventually<T>(what: string, ask: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (const until = performance.now() + deadlineMs; performance.now() < until; ) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`waited ${deadlineMs} ms in vain: ${what}`);
}
