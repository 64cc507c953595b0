// Reads past batches without records. A broker that compacts a log keeps some, and answers a fetch from
// there with nothing else, if they end a segment. Neither client shows them.
import type { FetchedPartition } from '../connection/fetched-partition.ts';

/**
 * Returns the records from a position on, or the first ones after it if none is there. Without records
 * although the high watermark is greater, none is left before it. `undefined`: a position is not in the
 * log.
 */
export async function readPastEmpty(
  fetch: (position: bigint) => Promise<FetchedPartition | undefined>,
  position: bigint,
): Promise<FetchedPartition | undefined> {
  const first = await fetch(position);
  if (first === undefined || first.records.length > 0) return first;
  let found = first;
  let [empty, end] = [position, first.highWatermark];
  // An offset in an empty batch is answered like the first one, so it need not be known where one ends.
  // Records between several of them may be passed over. A reader cannot apply those either, as others are
  // missing before them.
  while (end - empty > 1n) {
    const middle = (empty + end) / 2n;
    const read = await fetch(middle);
    if (read === undefined) return undefined;
    if (read.records.length === 0) empty = middle;
    else [found, end] = [read, middle];
  }
  return found;
}
