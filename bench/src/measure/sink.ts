/** Where results go that nobody wants: a compiler that saw them unused would compute nothing. */
let kept = 0;

/** Uses `value`, as far as the compiler can tell. */
export function consume(value: number): void {
  kept += value;
  if (Number.isNaN(kept)) throw new RangeError('a benchmark computed no number');
}
