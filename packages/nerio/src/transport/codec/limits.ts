// What no frame exceeds. A decoder refuses beyond it before it allocates; an encoder is never asked to, for options are checked first.

/** The longest name of a member in UTF-8: 200 characters of at most three bytes. */
export const nameBytesMax = 600;

/** The longest incarnation: a UUID has 36. */
export const incarnationBytesMax = 64;

/** The longest address in a notification: a host name of 253 characters and a port. */
export const addressBytesMax = 260;

/** The longest δ that may be asked for, a day: no group has a longer one. Milliseconds. */
export const leaseMsLimit = 86_400_000;

/** Tokens fit a signed column of 64 bits (T1). */
export const tokenMax: bigint = 2n ** 63n - 1n;

/** The greatest whole number a message holds. */
export const wholeMax: number = Number.MAX_SAFE_INTEGER;

/** So many rows or sets describe a quorum system at most, and so many places in all of them together. */
export const quorumSetsMax = 1024;
export const quorumPlacesMax = 16_384;

/** The longest frame before two members know each other: names, a pin and 1 KiB of metadata, each with room to spare. Bytes. */
export const greetingBytesMax = 8192;

/**
 * The longest frame of a group with so many partitions, in bytes. The longest message is of a wedged voter: two tokens of 8 bytes a
 * partition, and an epoch, which has at most 31 names and `quorumPlacesMax` places.
 */
export function frameBytesMax(partitions: number): number {
  return 65_536 + 32 * partitions;
}

/** So many messages travel in one frame at most. */
export const messagesPerFrameMax = 4096;
