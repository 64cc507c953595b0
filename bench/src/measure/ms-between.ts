/**
 * Returns the milliseconds between two instants, which are nanoseconds on the host's monotonic
 * clock.
 */
export function msBetween(fromNs: string | bigint, toNs: string | bigint): number {
  return Number(BigInt(toNs) - BigInt(fromNs)) / 1e6;
}
