import { WaitedInVain } from './failure.ts';

/** How often a condition is looked at: seldom enough to leave the loop to the members, often enough to see short states. Milliseconds. */
const periodMs = 2;

/** What is asked again and again; `undefined` and `false` mean not yet. */
export type Condition<T> = () => T | undefined | false;

/** Resolves with the first answer that is one; rejects once `withinMs` has passed, and says what was waited for and how things stand. */
export async function awaitCondition<T>(what: () => string, ask: Condition<T>, withinMs: number): Promise<T> {
  const until = performance.now() + withinMs;
  for (;;) {
    const answer = ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() >= until) throw new WaitedInVain(what(), withinMs);
    await new Promise((resolve) => setTimeout(resolve, periodMs));
  }
}

/** Asks for so long; rejects with the first answer that is a complaint, or is thrown. For what must never happen, as far as one can wait. */
export async function watchFor(durationMs: number, complaint: () => string | undefined): Promise<void> {
  for (const until = performance.now() + durationMs; performance.now() < until; ) {
    const found = complaint();
    if (found !== undefined) throw new Error(found);
    await new Promise((resolve) => setTimeout(resolve, periodMs));
  }
}

/** `promise`, unless it takes longer than `withinMs`: then rejects, and says what was waited for. */
export async function inTime<T>(what: string, promise: Promise<T>, withinMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new WaitedInVain(what, withinMs)), withinMs);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
