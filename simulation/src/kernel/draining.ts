/** How long work takes to drain (H2, H3). */
export interface Draining {
  readonly ms: readonly [number, number];
  /** Share of the work that never settles. */
  readonly neverShare: number;
  readonly timeoutMs: number;
}
