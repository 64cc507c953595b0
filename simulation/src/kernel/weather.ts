import { between, type Random } from './random.ts';

/** The conditions on the network. */
export interface Network {
  /** Minimum and maximum of the usual delay, in milliseconds. */
  readonly delayMs: readonly [number, number];
  /** Share of the messages that are late, by up to `lateMsMax`. */
  readonly lateShare: number;
  readonly lateMsMax: number;
  readonly lossShare: number;
  readonly duplicateShare: number;
}

/** The parts of a world that determine delays, for any protocol. */
export interface Weather {
  readonly scenario: { readonly network: Network };
  readonly random: Random;
}

/** Returns the delay of one message. */
export function delayMs({ scenario, random }: Weather): number {
  const { delayMs: usual, lateShare, lateMsMax } = scenario.network;
  const share = random.next();
  if (share < lateShare) return random.next() * lateMsMax;
  return usual[0] + ((share - lateShare) / (1 - lateShare)) * (usual[1] - usual[0]);
}

/** Returns a random number from 0 to twice `meanMs`. */
export function about({ random }: Pick<Weather, 'random'>, meanMs: number): number {
  return between(random, 0, 2 * meanMs);
}
