// The limits of all frames. A decoder refuses larger values before it allocates. An encoder never
// meets them, because options are checked first.

/** The longest name of a member in UTF-8: 200 characters of at most three bytes. */
export const nameBytesMax = 600;

/** The longest incarnation: a UUID has 36. */
export const incarnationBytesMax = 64;

/** The longest address in a notification: a host name of 253 characters and a port. */
export const addressBytesMax = 260;

/** The longest permitted δ, a day: no group has a longer lease. Milliseconds. */
export const leaseMsLimit = 86_400_000;

/** The limits on a quorum system: its rows or sets, and the members in all of them together. */
export const quorumSetsMax = 1024;
export const quorumPlacesMax = 16_384;

/**
 * The longest frame before authentication: names, a pin and 1 KiB of metadata, with room to spare.
 * Bytes.
 */
export const greetingBytesMax = 8192;

/**
 * The longest frame of a group with that number of partitions, in bytes. The longest message is
 * `wedged`: two tokens of 8 bytes per partition, and an epoch with at most 31 names and
 * `quorumPlacesMax` places.
 */
export function frameBytesMax(partitions: number): number {
  return 65_536 + 32 * partitions;
}

/** The greatest number of messages in one frame. */
export const messagesPerFrameMax = 4096;
