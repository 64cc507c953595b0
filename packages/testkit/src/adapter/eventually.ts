import { WaitedInVain } from '../conformance/failure.ts';

/** How often is asked: as seldom as lets a test see short states. Milliseconds. */
const periodMs = 2;

/** For how long, and what is told when that was not enough. */
export interface Awaited {
  /** For a starved machine, not for the code: what is waited for takes milliseconds. Default 20 000. */
  readonly withinMs?: number;
  /** How things stand then. */
  readonly tellMore?: () => string;
}

/** Resolves with the first answer that is neither `undefined` nor `false`; rejects with `what` where none comes. */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  { withinMs = 20_000, tellMore = () => '' }: Awaited = {},
): Promise<T> {
  for (const until = performance.now() + withinMs; performance.now() < until; ) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((resolve) => setTimeout(resolve, periodMs));
  }
  throw new WaitedInVain(`${what}${tellMore()}`, withinMs);
}
