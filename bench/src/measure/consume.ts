// Keeps the compiler from removing the operation that a benchmark times.

/** Accumulates results, because the compiler may remove computations whose results are unused. */
let kept = 0;

/** Uses `value`, so that the compiler cannot remove its computation. */
export function consume(value: number): void {
  kept += value;
  if (Number.isNaN(kept)) throw new RangeError('a benchmark computed NaN');
}
