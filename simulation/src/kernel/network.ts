// How long messages of a world take, and how many are lost.
import { between, happens, type Random } from './random.ts';

/** The conditions on the network. */
export interface NetworkConditions {
  /** Minimum and maximum of the usual delay, in milliseconds. */
  readonly delayMs: readonly [number, number];
  /** Share of the messages that are late, by up to `lateMsMax`. */
  readonly lateShare: number;
  readonly lateMsMax: number;
  readonly lossShare: number;
  readonly duplicateShare: number;
}

/** A network that is unreliable, and one that is not. */
export const rough: NetworkConditions = {
  delayMs: [1, 12],
  lateShare: 0.01,
  lateMsMax: 3000,
  lossShare: 0.02,
  duplicateShare: 0.01,
};
export const quick: NetworkConditions = {
  delayMs: [1, 3],
  lateShare: 0,
  lateMsMax: 0,
  lossShare: 0,
  duplicateShare: 0,
};

/** The parts of a world that determine delays, for any protocol. */
export interface Network {
  readonly network: NetworkConditions;
  readonly random: Random;
}

/** Returns the delay of one message. */
export function delayMs({ network, random }: Network): number {
  const { delayMs: usual, lateShare, lateMsMax } = network;
  const share = random.next();
  if (share < lateShare) return random.next() * lateMsMax;
  return usual[0] + ((share - lateShare) / (1 - lateShare)) * (usual[1] - usual[0]);
}

/** Returns the delay of one message that is not late. */
export function usualDelayMs({ network, random }: Network): number {
  const { delayMs: usual } = network;
  return between(random, usual[0], usual[1]);
}

/** Returns the delay of one message that is late. */
export function lateMs({ network, random }: Network): number {
  return random.next() * network.lateMsMax;
}

/** Share of the writes during a cut that is lost. The rest lands after the cut. */
const lostInCut = 0.5;

/**
 * Sends a write over a connection that is cut for `cutMs`. Calls `arrive` with the delay of each
 * copy, and returns the delay of the first; infinity if the write is lost.
 */
export function transmit(
  world: Network,
  cutMs: number,
  arrive: (ms: number, isCopy: boolean) => void,
): number {
  const { random, network } = world;
  const { lossShare, duplicateShare } = network;
  const isLost = happens(random, cutMs > 0 ? lostInCut : lossShare);
  const firstMs = isLost ? Number.POSITIVE_INFINITY : cutMs + delayMs(world);
  if (!isLost) arrive(firstMs, false);
  if (happens(random, duplicateShare)) arrive(cutMs + delayMs(world), true);
  return firstMs;
}

/** Returns a random number from 0 to twice `meanMs`. */
export function about({ random }: Pick<Network, 'random'>, meanMs: number): number {
  return between(random, 0, 2 * meanMs);
}
