import { between, type Random } from './random.ts';

/** How messages travel. */
export interface Network {
  /** The usual delay, from and to. Milliseconds. */
  readonly delayMs: readonly [number, number];
  /** The share of messages that are late, by up to `lateMsMax`. */
  readonly lateShare: number;
  readonly lateMsMax: number;
  readonly lossShare: number;
  readonly duplicateShare: number;
}

/** What decides how long things take, in whichever world. */
export interface Weather {
  readonly scenario: { readonly network: Network };
  readonly random: Random;
}

/** How long one message takes. */
export function delayMs({ scenario, random }: Weather): number {
  const { delayMs: usual, lateShare, lateMsMax } = scenario.network;
  const share = random.next();
  if (share < lateShare) return random.next() * lateMsMax;
  return usual[0] + ((share - lateShare) / (1 - lateShare)) * (usual[1] - usual[0]);
}

/** Anything from 0 to twice `meanMs`. */
export function about({ random }: Pick<Weather, 'random'>, meanMs: number): number {
  return between(random, 0, 2 * meanMs);
}
