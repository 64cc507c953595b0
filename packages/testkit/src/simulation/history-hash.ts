// The hash over everything that has happened in a world: equal for equal histories.

/** Two halves of 32 bits. */
export type HistoryHash = [number, number];

/** Of a world in which nothing has happened yet. */
export function newHash(seed: number): HistoryHash {
  return [seed | 0, ~seed];
}

/** Folds in that something happened: when, to whom, where. */
export function foldIn(hash: HistoryHash, now: number, node: number, life: number, lane: number): void {
  const what = Math.imul(now * 4096, 0x85ebca6b) ^ (node + (lane << 8) + (life << 16));
  hash[0] = Math.imul(hash[0] ^ what, 0x01000193);
  hash[1] = (Math.imul(hash[1], 31) + what) | 0;
}

/** As 16 hexadecimal digits. */
export function textOf(hash: HistoryHash): string {
  return hash.map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
