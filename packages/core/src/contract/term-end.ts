/**
 * How a term ended, as members and observers read it.
 * - `handed-over`: its leader released it, after its work had ended.
 * - `lapsed`: its lease ran out: it was not renewed in time, or its work did not end in time.
 * - `proved-dead`: a guard, or the watchdog of `leadership run`, proved that its process was dead.
 * - `superseded`: another term began, and the end of this one was not seen.
 * - `unknown`: no leader is known any more, and the end of the term was not seen.
 */
export type TermEnd = 'handed-over' | 'lapsed' | 'proved-dead' | 'superseded' | 'unknown';
