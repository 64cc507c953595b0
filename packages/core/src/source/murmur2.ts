const seed = 0x9747b28c;
const multiplier = 0x5bd1e995;
const encoder = new TextEncoder();

/**
 * Returns the hash of Kafka's default partitioner with the sign bit cleared, so that role X is in
 * the partition of a record with key X (R1).
 */
export function murmur2(text: string): number {
  const bytes = encoder.encode(text);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length & ~3;
  let hash = seed ^ bytes.length;
  for (let at = 0; at < whole; at += 4) {
    const word = Math.imul(view.getInt32(at, true), multiplier);
    hash = Math.imul(hash, multiplier) ^ Math.imul(word ^ (word >>> 24), multiplier);
  }
  return finish(mixTail(hash, bytes.subarray(whole))) & 0x7fffffff;
}

function mixTail(hash: number, tail: Uint8Array): number {
  if (tail.length === 0) return hash;
  const rest = tail.reduceRight((mixed, byte, index) => mixed ^ (byte << (8 * index)), hash);
  return Math.imul(rest, multiplier);
}

function finish(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 13), multiplier);
  return mixed ^ (mixed >>> 15);
}
