// The knowledge of a member about the second place of the greatest token, where its store has one.
import { type Instant, longAgo } from '../time/instant.ts';

/** The knowledge of the second place of the greatest token (T1). */
export interface Floor {
  /** The greatest token that it is known to have. */
  token: bigint;
  /** The greatest token that it should have. */
  wanted: bigint;
  /** When the last reading with an answer was sent. */
  readAt: Instant;
  /** The token by then. */
  readToken: bigint;
  isAsked: boolean;
  flight:
    | { readonly id: number; readonly raise: bigint | undefined; readonly askedAt: Instant }
    | undefined;
  isFailing: boolean;
  retryAt: Instant;
  /** The partitions to look at after the next answer. */
  readonly waiting: Set<number>;
}

/** Returns the knowledge of a member that has asked nothing. */
export function newFloor(): Floor {
  return {
    token: 0n,
    wanted: 0n,
    readAt: longAgo,
    readToken: 0n,
    isAsked: false,
    flight: undefined,
    isFailing: false,
    retryAt: longAgo,
    waiting: new Set(),
  };
}
