// The tokens of terms, which only grow (T1), for all protocols.

/**
 * How far a token may be ahead of the wall clock: 73,000 years. Were a token further ahead counted,
 * the next one might not fit into 64 bits, and no member could read it. The margin is so wide that no
 * clock that is wrong by years, ahead or behind, makes a difference. Microseconds.
 */
const aheadMicrosMax = 2n ** 61n;

/** Returns whether a token counts: it leaves room for later ones. */
export function leavesRoom(token: bigint, wallMicros: number): boolean {
  return token <= BigInt(Math.floor(wallMicros)) + aheadMicrosMax;
}

/** Returns the token of a new term: the wall clock's, unless a token as great is known. */
export function nextToken(previous: bigint, wallMicros: number): bigint {
  const next = previous + 1n;
  const wall = BigInt(wallMicros);
  return wall > next ? wall : next;
}
